"""The process that works on one file: `python -m corpus.ingestion.sandbox.worker '{…}' [PROGRAM …] < file > reply`.

It does not import Django. The argument is JSON, with the arguments of `confine`. What else it has says what is done:

- `filename`, `characters` and `pages`: the file is parsed. The reply is a JSON object with one key: `parsed` (see
  `encode_parsed`), `unreadable` (a message for the teacher), `exceeded` (memory or characters) or `fault`, which also
  stands beside `unreadable` if a reader takes a fault of its own for one of the file.
- `page`: that page is drawn; with `media_type` for text recognition (with `only_pictures` nothing else of it), without
  it for people. For recognition the reply is the picture in grey as PGM, or empty if the page is blank; for people it
  is a line of JSON with width, height and words, then three bytes for each pixel. A fault is neither.
- `office`, a library of LibreOffice and a folder: the old Office file is converted; see `sandbox.office`. The reply is
  the new file, or empty if there is none.
- Nothing: the process becomes PROGRAM, an absolute path, with the same limits and a minimal environment.

The exit code 1 means an internal error: a library is missing or cannot be read.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.ingestion.sandbox.limits import confine

if TYPE_CHECKING:
    from corpus.ingestion.parsing import Parsed

_INTERNAL = (ImportError, PermissionError)
_LIBRARY = 64 << 20  # bytes; more than any library of the readers needs
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OMP_THREAD_LIMIT": "1"}  # Tesseract is slower with more threads


def prepare(program: Path | None = None) -> dict[str, Any]:
    order: dict[str, Any] = json.loads(sys.argv[1])
    limits = {name: order.pop(name) for name in ("memory", "seconds", "parent")}
    confine(**limits, program=program, office=order.get("office", ()))
    return order


def main() -> None:
    _, _, *program = sys.argv
    order = prepare(Path(program[0]) if program else None)
    if program:
        os.execve(program[0], program, _ENVIRONMENT)  # noqa: S606 - no shell is wanted
    reply = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the reply
    code = 0
    try:
        made = _work(**order)
    except MemoryError:
        made = _encode({"exceeded": "memory"})
    except Exception as error:
        made, code = _encode(_fault(error)), int(isinstance(error, _INTERNAL))
    with os.fdopen(reply, "wb") as file:
        file.write(made)
    os._exit(code)  # skips the clean-up, which is slow after large documents


def _work(**order: Any) -> bytes:
    if "office" not in order:
        return _draw(**order) if "page" in order else _encode(_parse(**order))
    from corpus.ingestion.sandbox.office import convert_office

    return convert_office(sys.stdin.buffer.read(), *order["office"])


def _encode(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def _parse(*, filename: str, characters: int, pages: int) -> dict[str, Any]:
    try:
        from corpus.ingestion.parsing import UnreadableDocument, parse

        try:
            parsed = parse(sys.stdin.buffer.read(), filename=filename, most_pages=pages)
        except UnreadableDocument as reason:
            cause = reason.__cause__  # some readers report any error as a damaged file
            if isinstance(cause, _INTERNAL):
                raise cause from None
            return {"unreadable": str(reason)} | (_fault(cause) if cause and _is_ours(cause) else {})
        length = sum(len(section.text) + sum(map(len, section.heading_path)) for section in parsed.sections)
        return {"exceeded": "characters"} if length > characters else {"parsed": encode_parsed(parsed)}
    except ImportError:
        bytearray(_LIBRARY)  # a MemoryError means that there was no room for the library
        raise


def _draw(*, page: int, media_type: str = "", only_pictures: bool = False) -> bytes:
    from corpus.ingestion.readers.draw_page import draw_page, view_page

    data = sys.stdin.buffer.read()
    if media_type:
        grey = draw_page(data, media_type, page, only_pictures=only_pictures)
        darkest, lightest = grey.getextrema()
        return b"" if darkest == lightest else b"P5\n%d %d\n255\n%b" % (*grey.size, grey.tobytes())
    picture, words = view_page(data, page)
    return _encode({"width": picture.width, "height": picture.height, "words": words}) + b"\n" + picture.tobytes()


def _is_ours(error: BaseException) -> bool:
    """Whether a reader stumbled, and not a library. Readers raise ValueError for what is wrong with a file."""
    place = traceback.extract_tb(error.__traceback__)[-1].filename
    return place.startswith(str(Path(__file__).parents[1])) and not isinstance(error, ValueError)


def _fault(error: BaseException) -> dict[str, Any]:
    """The type and place of an error. Its message may quote the file, and logs must hold no text of a school."""
    places = traceback.format_list(traceback.extract_tb(error.__traceback__)[-6:])
    return {"fault": f"{type(error).__name__}\n{''.join(places)}"[-4000:]}


def encode_parsed(parsed: Parsed) -> dict[str, object]:
    """A Parsed as JSON values. `corpus.ingestion.sandbox.runner` converts it back."""
    return vars(parsed) | {"sections": list(map(vars, parsed.sections))}


if __name__ == "__main__":
    main()
