"""Comments and text boxes of a sheet, which openpyxl does not read row by row."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus.ingestion.readers.structure import one_line
from corpus.ingestion.readers.xml import descendants, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element


def read_comments(archive: zipfile.ZipFile, path: str) -> list[tuple[str, str]]:
    """The comments on the sheet at this path, each with its cell, such as “C4”."""
    found: list[tuple[str, str]] = []
    for root in (one for kind in ("/comments", "/threadedComment") for one in _related(archive, path, kind)):
        is_threaded = local_name(root) == "ThreadedComments"
        for comment in descendants(root, "threadedComment" if is_threaded else "comment"):
            words = descendants(comment, "text" if is_threaded else "t")
            text = one_line("".join(one.text or "" for one in words))
            if text and not text.startswith("[Threaded comment]"):  # it repeats the threaded one
                found.append((comment.get("ref", ""), text))
    return found


def read_shapes(archive: zipfile.ZipFile, path: str) -> list[str]:
    """The text of boxes on the sheet at this path, and descriptions of its pictures."""
    lines: list[str] = []
    for root in _related(archive, path, "/drawing"):
        for shape in (one for one in root.iter() if local_name(one) in ("sp", "pic", "graphicFrame")):
            properties = next(descendants(shape, "cNvPr"), None)
            if properties is None or properties.get("hidden") in ("1", "true"):
                continue
            for paragraph in descendants(shape, "p"):
                lines.append(one_line("".join(run.text or "" for run in descendants(paragraph, "t"))))
            said = one_line(properties.get("descr", ""))
            lines.append(f"[Picture: {said}]" if said else "")
    return list(filter(None, lines))


def _related(archive: zipfile.ZipFile, path: str, kind: str) -> Iterator[_Element]:
    """The parts of a kind that belong to a sheet."""
    from lxml import etree
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    names, relations = archive.namelist(), get_rels_path(path.lstrip("/"))
    for one in get_dependents(archive, relations) if relations in names else ():
        if one.Type.endswith(kind) and one.target in names:
            yield etree.fromstring(archive.read(one.target))
