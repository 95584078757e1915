"""The process that shows one page: `python -m corpus.ingestion.sandbox.page_worker '{…}' < file > reply`.

The argument is JSON: the arguments of `confine`, and `page`. The reply is a line of JSON with width, height and words,
then three bytes for each pixel; it is empty if the page cannot be drawn. The exit code 1 means an internal error.
"""

from __future__ import annotations

import json
import os
import sys

from corpus.ingestion.sandbox.parse_worker import prepare


def main() -> None:
    """Show the page that the command line asks for."""
    order = prepare()
    reply = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the reply
    from corpus.ingestion.readers.page_view import view_page

    try:
        view = view_page(sys.stdin.buffer.read(), order["page"])
        head = json.dumps({"width": view.width, "height": view.height, "words": view.words}).encode()
    except (ImportError, PermissionError):
        os._exit(1)
    except Exception:
        os._exit(0)
    with os.fdopen(reply, "wb") as file:
        file.write(head + b"\n")
        file.write(view.pixels)
    os._exit(0)


if __name__ == "__main__":
    main()
