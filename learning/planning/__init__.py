"""Make a study plan in the background, keep it up to date, and let its owner edit it."""
