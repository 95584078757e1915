"""The process that draws one page of a file: `python -m corpus.ingestion.sandbox.draw_worker '{…}' < file > picture`.

The argument is JSON: the arguments of `confine`, `media_type` and `page`. The reply is a line with width and height,
then one byte for each pixel; it is empty if the page cannot be drawn. The exit code 1 means an internal error.
"""

from __future__ import annotations

import os
import sys

from corpus.ingestion.sandbox.parse_worker import prepare


def main() -> None:
    """Draw the page that the command line asks for."""
    order = prepare()
    reply = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the reply
    from corpus.ingestion.readers.draw_page import draw_page

    try:
        picture = draw_page(sys.stdin.buffer.read(), order["media_type"], order["page"])
    except (ImportError, PermissionError):
        os._exit(1)
    except Exception:
        os._exit(0)
    with os.fdopen(reply, "wb") as file:
        file.write(b"%d %d\n" % (picture.width, picture.height))
        file.write(picture.pixels)
    os._exit(0)


if __name__ == "__main__":
    main()
