"""Hybrid search in one scope, calibrated relevance, and the fusion of several sources.

The sources of knowledge and school_library, and chatbots, import it. It imports neither ingestion nor web.
"""
