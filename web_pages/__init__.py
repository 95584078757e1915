"""Web pages as documents: of a teacher, or of the library.

It fetches with `references` and stores with `knowledge` and `school_library`, which know nothing of each other. Only
config imports it.
"""
