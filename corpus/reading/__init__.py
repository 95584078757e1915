"""Documents as people read them: blocks as safe HTML, outline, find, differences.

Pages, the API and citations import it.
"""
