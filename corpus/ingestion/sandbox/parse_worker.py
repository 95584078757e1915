"""The process that parses one file: `python -m corpus.ingestion.sandbox.parse_worker '{…}' < file > reply`.

It does not import Django.

The argument is JSON: the arguments of `confine`, the limits `characters` and `pages`, and `filename`. The reply is a
JSON object with one key: `parsed` (see `to_json`), `unreadable` (a message for the teacher), `exceeded` (memory or
characters) or `fault`. The exit code 1 means an internal error: a library is missing or cannot be read.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any

from corpus.ingestion.sandbox.limits import confine

if TYPE_CHECKING:
    from corpus.ingestion.parsing import Parsed

_INTERNAL = (ImportError, PermissionError)
_LIBRARY = 64 << 20  # bytes; more than any library of the readers needs


def prepare() -> dict[str, Any]:
    """Apply the limits in the argument of this process. Returns the rest of the argument."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    confine(memory=order.pop("memory"), seconds=order.pop("seconds"), parent=order.pop("parent"))
    return order


def main() -> None:
    """Parse the file on standard input and write the reply."""
    order = prepare()
    reply = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the reply
    code = 0
    try:
        text = json.dumps(_answer(**order), ensure_ascii=False, separators=(",", ":")).encode()
    except MemoryError:
        text = b'{"exceeded":"memory"}'
    except Exception as error:
        text, code = json.dumps(_fault(error)).encode(), int(isinstance(error, _INTERNAL))
    with os.fdopen(reply, "wb") as file:
        file.write(text)
    os._exit(code)  # skips the clean-up, which is slow after large documents


def _answer(*, filename: str, characters: int, pages: int) -> dict[str, Any]:
    try:
        from corpus.ingestion.parsing import UnreadableDocument, parse

        try:
            parsed = parse(sys.stdin.buffer.read(), filename=filename, most_pages=pages)
        except UnreadableDocument as reason:
            if isinstance(reason.__cause__, _INTERNAL):  # some readers report any error as a damaged file
                raise reason.__cause__ from None
            return {"unreadable": str(reason)}
        length = sum(len(section.text) + sum(map(len, section.heading_path)) for section in parsed.sections)
        return {"exceeded": "characters"} if length > characters else {"parsed": encode_parsed(parsed)}
    except ImportError:
        bytearray(_LIBRARY)  # a MemoryError means that there was no room for the library
        raise


def _fault(error: BaseException) -> dict[str, Any]:
    """The type and place of an error. Its message may quote the file, and logs must hold no text of a school."""
    places = traceback.format_list(traceback.extract_tb(error.__traceback__)[-6:])
    return {"fault": f"{type(error).__name__}\n{''.join(places)}"[-4000:]}


def encode_parsed(parsed: Parsed) -> dict[str, object]:
    """A Parsed as JSON values. `corpus.ingestion.sandbox.runner` converts it back."""
    return vars(parsed) | {"sections": [tuple(vars(section).values()) for section in parsed.sections]}


if __name__ == "__main__":
    main()
