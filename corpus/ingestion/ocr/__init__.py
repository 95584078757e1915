"""Text of scanned pages, by Tesseract in sandboxed processes. Ingestion and `corpus.tasks` import it."""
