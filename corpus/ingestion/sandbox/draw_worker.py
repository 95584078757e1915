"""The process that draws one page of a file: `python -m corpus.ingestion.sandbox.draw_worker '{…}' < file > picture`.

The argument is JSON: what `confine` takes, `media_type` and `page`. The reply is a line with width and height, then
the picture, a byte for each pixel; or nothing when the page cannot be drawn. The exit code is 1 when the fault is ours.
"""

from __future__ import annotations

import os
import sys

from corpus.ingestion.sandbox.parse_worker import prepare


def main() -> None:
    order = prepare()
    reply = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no part of the reply
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
