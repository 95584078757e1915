"""What is stored of a person: as a ZIP of readable files, and erased with a certificate that says what was erased.

Imports accounts, rest and schools. Every app with rows of people declares them here, in its `personal_data.py`.
"""
