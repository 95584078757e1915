"""The tutor of a plan: what it reads, how much it tells at once, and the question it offers (G3)."""
