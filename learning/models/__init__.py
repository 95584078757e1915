"""Rows of learning: plans, concepts, questions and progress."""
