"""The kind of source of texts that came with an imported plan."""

from __future__ import annotations

from corpus.source_kinds import SourceKind

IMPORTED = SourceKind(
    "imported",
    "Imported",
    "imported texts",
    explanation="Texts that came with an imported plan. Nobody here has compared them with what they name.",
    counted="texts",
)
"""A file may claim anything of its texts. So a text that no readable document contains is of this kind, whatever kind
it was of where the file was made: it is neither approved here nor from Wikipedia as far as anybody knows."""
