"""What a school keeps of questions and answers for its own review.

Answering, views and the API import it.
"""
