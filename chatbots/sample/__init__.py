"""A chatbot to try: of a short text of ours, and thrown away by one press. Views import it."""
