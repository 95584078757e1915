"""Pages. Only urls import it."""
