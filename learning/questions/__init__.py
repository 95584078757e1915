"""Make practice questions from the passages of a concept, and check them. Pure; it imports no models."""
