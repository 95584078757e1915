"""How pupils come into a class and are known again: codes, nicknames, the cookie, and what one
pupil may do. The views import it, and nothing above them."""
