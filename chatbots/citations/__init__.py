"""Citation markers [n], their claims, and whether the cited passages support them.

Answering, pages and exports import it; it imports models only.
"""
