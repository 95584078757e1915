"""The API of chatbots: what they are, asking them, and the conversations that come of it."""
