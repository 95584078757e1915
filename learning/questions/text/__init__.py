"""Read sentences, definitions, terms and numbers in the passages of a concept. Imports nothing else of questions."""
