"""PDF files with text: lines, headings, paragraphs.

Only readers and ocr import it.
"""
