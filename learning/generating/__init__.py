"""Have a language model write concepts and questions, a section at a time, and check them. Imports the rules."""
