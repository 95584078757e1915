"""One reader for each file format: bytes to sections. Pure; runs inside the sandbox.

Only parsing and the sandbox import it.
"""
