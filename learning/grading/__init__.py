"""Judge an answer to a practice question against its source. Pure; it imports no models."""
