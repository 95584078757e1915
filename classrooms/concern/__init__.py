"""Find listed words and shapes such as telephone numbers in a text. Pure Python, without Django."""
