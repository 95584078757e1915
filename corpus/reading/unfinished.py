"""Markdown that is still being written. Pure."""


def complete(text: str) -> str:
    """Close the code and bold words that are open in the last line, so that their signs are not seen meanwhile."""
    if text.count("```") % 2:
        return text
    for sign in ("`", "**"):
        last = text.rpartition("\n")[2]
        if last.count(sign) % 2:
            text = text.removesuffix(sign) if last.endswith(sign) else text + sign
    return text
