"""Make practice questions from the passages of a concept, and check them. Only `review` reads and writes rows."""
