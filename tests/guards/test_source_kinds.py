"""Nothing but a kind's own app knows that kind: all others ask the registry (ADR 19)."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.guards.test_import_arrows import ARROWS, ROOT
from tests.template_files import find_templates

# What names a kind outside its own app, each with the reason.
NAMED = {
    "chatbots/api/chatbots.py": "the API's two lists of documents, which are in its contract",
    "demo/catalogue.py": "the folder of a demo document, not a kind of source",
    "templates/chatbots/form.html": "the two pickers of documents, one for each table of links",
}
OWN = ("knowledge/", "school_library/", "templates/knowledge/", "templates/school_library/")
KNOWN = re.compile(
    r"""["']personal["']
    | (?:==|!=|\bkind\s*=)\s*["']school["']
    | ["']school["']\s*(?:==|!=)
    | \b(?:knowledge|school_library)\.sources\b""",
    re.VERBOSE,
)


def product_files() -> Iterator[Path]:
    for room in ARROWS:
        yield from (path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)
    yield from find_templates()


def naming() -> set[str]:
    files = {str(path.relative_to(ROOT)): path for path in product_files()}
    return {name for name, path in files.items() if not name.startswith(OWN) and KNOWN.search(path.read_text())}


def test_no_other_app_names_a_kind_of_source() -> None:
    found = naming()
    assert found <= set(NAMED), "ask corpus.source_kinds instead"
    assert set(NAMED) <= found, "an exception is stale: take it out"
