"""From an uploaded file to chunks in the database: storage, parsing, chunking, embedding, replacing.

Web pages, commands and the worker may import it; it does not import search or web.
"""
