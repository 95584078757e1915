"""Who may use a chatbot, and what becomes of it: deleting, sharing, copying and archiving it, and the list of chatbots.

Imported by insights, evaluation, forms, tasks, views, the API and the Django admin.
"""
