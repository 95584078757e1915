"""Documents as people read them: blocks as safe HTML, outline, words in a document, differences.

corpus.web and chatbots import it; it imports ingestion for media types and splitting.
"""
