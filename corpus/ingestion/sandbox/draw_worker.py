"""The process that draws one page of a file: `python -m corpus.ingestion.sandbox.draw_worker '{…}' < file > reply`.

The argument is JSON: the arguments of `confine` and `page`; with `media_type` the page is drawn for text recognition
(with `only_pictures` nothing else of it), without it for people. The reply is a line, then the pixels. For recognition
the line has width and height, and each pixel one byte; for people it is JSON with width, height and words, and each
pixel has three bytes. It is empty if the page cannot be drawn. The exit code 1 means an internal error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from corpus.ingestion.sandbox.parse_worker import prepare


def main() -> None:
    """Draw the page that the command line asks for."""
    order = prepare()
    reply = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the reply
    try:
        head, pixels = _draw(sys.stdin.buffer.read(), **order)
    except (ImportError, PermissionError):
        os._exit(1)
    except Exception:
        os._exit(0)
    with os.fdopen(reply, "wb") as file:
        file.write(head + b"\n")
        file.write(pixels)
    os._exit(0)


def _draw(data: bytes, *, page: int, media_type: str = "", only_pictures: bool = False) -> tuple[bytes, bytes]:
    found: Any  # of two types
    if media_type:
        from corpus.ingestion.readers.draw_page import draw_page

        found = draw_page(data, media_type, page, only_pictures=only_pictures)
        return b"%d %d" % (found.width, found.height), found.pixels
    from corpus.ingestion.readers.page_view import view_page

    found = view_page(data, page)
    return json.dumps({"width": found.width, "height": found.height, "words": found.words}).encode(), found.pixels


if __name__ == "__main__":
    main()
