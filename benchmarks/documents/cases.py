"""The questions of `benchmarks.documents`: those of a folder, and the project's own."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.documents.markup import read_markup
from benchmarks.documents.specials import BUILDERS
from benchmarks.documents.writers import WRITERS

OWN = Path(__file__).parent / "own"

KINDS = {
    "A": "raised and lowered signs",
    "B": "crossed-out text",
    "C": "hidden text",
    "D": "tables",
    "E": "long German passages",
    "F": "one of two similar documents",
    "G": "ticked and unticked boxes",
    "H": "content beside the text",
    "I": "numbers of clauses and steps",
    "J": "formulas",
    "K": "columns",
    "L": "decomposed letters",
    "M": "plain questions",
    "N": "hyphens at line ends",
    "O": "HTML in Markdown",
    "P": "minor",
    "keep": "what has always worked",
}
_KIND_OF_NUMBER = {
    "1": "H", "2": "I", "3": "A", "4": "A", "5": "B", "6": "D", "7": "D", "8": "C", "9": "H", "11": "L", "12": "M",
    **dict.fromkeys(["7h", "9n", "9o", "9p", "9q", "10f", "10g", "10h", "12q"], "P"),
    **dict.fromkeys(["9d", "9e", "9f", "9g"], "G"), **dict.fromkeys(["9j", "9k", "9l", "9m"], "J"),
    **dict.fromkeys(["10a", "10b", "10c"], "N"), **dict.fromkeys(["10d", "10e"], "K"), "11b": "O",
    **dict.fromkeys(["12a", "12b", "12c", "12d", "12e"], "E"), **dict.fromkeys(["12h", "12i"], "I"),
    **dict.fromkeys(["12l", "12m", "12n", "12o"], "F"), "12w": "D",
}  # fmt: skip
"""Kinds of shared cases, by their number with or without its letter."""


@dataclass(frozen=True)
class Case:
    """A question about the text of some files.

    The answer must match `pattern` and nothing of it `never`. A refusal reads REFUSED. `closest` must match what is
    shown as the closest after a refusal, `cites` where one of the sources is from, and `note` a note of the documents.
    """

    id: str
    kind: str
    files: tuple[Path, ...]
    language: str
    question: str
    pattern: str
    never: str = ""
    closest: str = ""
    cites: str = ""
    note: str = ""

    @property
    def format(self) -> str:
        return self.files[0].suffix.removeprefix(".")


def read_folder(folder: Path) -> list[Case]:
    """Return the cases of `cases.jsonl` and `keep.jsonl` in a folder with their files."""
    found = []
    for name in ("cases", "keep"):
        path = folder / f"{name}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found += [_read(line, number, folder, name) for number, line in enumerate(lines, 1)]
    return found


def write_own(folder: Path) -> list[Case]:
    """Write the project's own documents in all their formats into a folder, and return the cases about them."""
    found: list[Case] = []
    for path in sorted(OWN.glob("*.toml")):
        for spec in tomllib.loads(path.read_text(encoding="utf-8"))["documents"]:
            for suffix in spec["formats"]:
                files = _write(spec, suffix, folder)
                more = {name: spec[name] for name in ("closest", "cites", "note") if name in spec}
                found += [
                    Case(f"{spec['name']}-{suffix}-{number}", spec["kind"], files, spec["language"], *asked, **more)
                    for number, asked in enumerate(spec["questions"], 1)
                ]
    return found


def _write(spec: dict[str, Any], suffix: str, folder: Path) -> tuple[Path, ...]:
    if "builder" in spec:
        path = folder / f"{spec['name']}.{suffix}"
        BUILDERS[spec["builder"]](path, spec)
        return (path,)
    texts = spec.get("texts", {"": spec.get("text", "")})
    paths = {folder / f"{spec['name']}{name and '-'}{name}.{suffix}": text for name, text in texts.items()}
    for path, text in paths.items():
        WRITERS[suffix](path, read_markup(text))
    return tuple(paths)


def _read(line: str, number: int, folder: Path, name: str) -> Case:
    row = json.loads(line)
    key = row.get("id", f"{name}-{number}")
    digits = re.match(r"\d*", key)
    kind = name if name == "keep" else _KIND_OF_NUMBER.get(key) or _KIND_OF_NUMBER.get(digits[0] if digits else "", "P")
    files = tuple(folder / file for file in row["files"])
    return Case(key, kind, files, row["language"], row["question"], row["pattern"], row.get("never") or "")
