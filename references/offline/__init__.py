"""Offline Wikipedia: ZIM files, their title index, finding pages and sections, and the reader (W2, W3)."""
