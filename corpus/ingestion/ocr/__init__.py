"""Text of scanned pages, by Tesseract in sandboxed processes.

Only ingestion imports it.
"""
