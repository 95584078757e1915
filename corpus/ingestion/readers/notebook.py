"""Notebooks of Jupyter (.ipynb): text, code and printed results as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.markdown.reader import read_markdown
from corpus.ingestion.readers.structure import NOTEBOOK, Parsed, fence_code


def read(data: bytes) -> Parsed:
    cells = json.loads(decode(data)[0])["cells"]
    text = "\n\n".join(part for cell in cells for part in _parts(cell) if part.strip())
    file = read_markdown(text.encode("utf-8", "replace"))
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    pictures = sum(kind.startswith("image/") for output in outputs for kind in output.get("data", ()))
    are = "pictures are" if pictures > 1 else "picture is"
    note = (f"{pictures} {are} among the results and not read.",) if pictures else ()
    sections = tuple(replace(section, lines=None, line_numbers=()) for section in file.finish())
    return Parsed(NOTEBOOK, file.title or file.builder.title(), sections, None, (*file.notes, *note))


def _parts(cell: Any) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        yield source
        return
    outputs = cell.get("outputs", ())
    printed = (one.get("text") or one.get("data", {}).get("text/plain") or one.get("evalue") or "" for one in outputs)
    for text in (source, *map("".join, printed)):
        yield fence_code(text) if text.strip() else ""
