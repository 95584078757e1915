"""Hybrid search in one scope, calibrated relevance, and the fusion of several sources.

Sources and chatbots import it; it imports no ingestion and no web.
"""
