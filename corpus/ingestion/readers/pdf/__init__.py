"""PDF files with text: lines, headings, paragraphs. The other readers and ocr import it."""
