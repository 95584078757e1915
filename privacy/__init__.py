"""What is stored of a person: as a ZIP of readable files, and erased with a certificate that says what was erased.

Imports classrooms, learning, chatbots, corpus, rest and schools. Nothing imports it but the URLs of config.
"""
