"""What documents, chunks, passages and sources are.

Knowledge, school_library and chatbots build on it; it imports engines, rest and schools.
"""
