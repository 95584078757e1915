"""Questions as files: GIFT, Anki and a worksheet. `files` lists the formats.

It may be imported by views, API and commands.
"""
