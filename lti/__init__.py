"""LTI 1.3 Advantage: a learning platform such as Moodle opens Lectern, links to it, and gets grades back (ADR 33).

Imports accounts, classrooms, learning, chatbots, corpus, plugins, privacy and schools. Nothing imports it but the URLs
of config.
"""
