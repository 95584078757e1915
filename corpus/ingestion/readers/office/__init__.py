"""Word, PowerPoint and Excel files. Only the other readers import it."""
