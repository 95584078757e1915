"""Forms of study plans. The services decide what is valid; the forms keep what was typed beside their reasons.

Imported by the views of learning only."""
