"""What the pages and API routes of both kinds of documents share.

knowledge and school_library import it, and chatbots.forms for its list of documents.
"""
