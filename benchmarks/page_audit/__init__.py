"""Every page of a running Lectern in a browser: pictures, accessibility and loading."""
