"""Web pages, as files and in e-books. Only the other readers import it, and `references`, which reads articles of
encyclopedias."""
