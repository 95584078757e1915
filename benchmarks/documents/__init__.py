"""Whether documents say what they say: files of all formats, and questions whose answers show what was read."""
