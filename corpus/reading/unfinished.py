"""Markdown that is still being written. Pure."""

import re

_BOLD = re.compile(r"(?<!\w)\*\*|\*\*(?!\w)")
"""Not the power in `2**3`."""
_CODE = re.compile(r"`[^`]*`")


def complete(text: str) -> str:
    """Close the code and bold words that are open in the last line, so that their signs are not seen meanwhile."""
    last = text.rpartition("\n")[2]
    if text.count("```") % 2 or last.lstrip().startswith("```"):
        return text
    if last.count("`") % 2:
        return text.removesuffix("`") if last.endswith("`") else text + "`"
    if len(_BOLD.findall(_CODE.sub("", last))) % 2:
        return text.removesuffix("**") if last.endswith("**") else text + "**"
    return text
