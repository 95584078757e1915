"""Sessions, attempts and progress: what is due, what is weak and what comes next."""
