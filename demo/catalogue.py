"""The content of the demo: two schools with people, documents and chatbots, as catalogue.toml has them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

Table = dict[str, Any]

_HERE = Path(__file__).resolve().parent
_CATALOGUE = tomllib.loads((_HERE / "catalogue.toml").read_text())
CONTENT = _HERE / "content"
OPERATOR: Table = _CATALOGUE["operator"]
SCHOOLS: list[Table] = _CATALOGUE["schools"]


def web_page(name: str) -> Path:
    """The file of a page of the demo's sites."""
    return CONTENT / "riverside" / "web" / f"{name}.html"


def articles(school: Table) -> list[Path]:
    """The articles of the school's encyclopaedia, by name."""
    return sorted((CONTENT / school["slug"] / "encyclopaedia").glob("*.html"))


def get_path(school: Table, document: Table) -> Path:
    """The file of a document. One with an `owner` is a personal document, any other is in the library."""
    folder = "personal" if "owner" in document else "library"
    return CONTENT.joinpath(school["slug"], folder, document["file"])
