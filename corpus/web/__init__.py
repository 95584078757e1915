"""What the pages and API routes of both kinds of documents share.

Only the views and API modules of knowledge and school_library import it.
"""
