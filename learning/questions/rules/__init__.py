"""Make questions by rules, each kind from sentences that fit it. Imports `text`."""
