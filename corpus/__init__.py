"""Documents, chunks, passages and sources: what they are, how they are indexed, searched and shown.

knowledge, school_library, chatbots, demo and config import it; it imports text, engines, rest and schools.
"""
