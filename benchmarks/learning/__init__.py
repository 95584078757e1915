"""Benchmarks of study plans: concepts found in a textbook, and the questions made from them."""
