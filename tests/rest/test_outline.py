"""The parts of a document by the API: modules, chapters, sections and their chunks, each pointing to what it is in."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.test import Client

from tests.factories import Cast, index_all, make_program, personal_document, school_document

pytestmark = pytest.mark.django_db
OWN, LIBRARY = "/api/v1/documents", "/api/v1/library/documents"
BOOK = {
    "1-motion.md": "# Module 1: Motion\n\n## Chapter 1: Speed\n\n### Mean\n\nSlow.\n\n### Top\n\nFast.\n",
    "2-heat.md": "# Module 2: Heat\n\n## Chapter 1: Ice\n\nCold.\n",
}


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return buffer.getvalue()


def flat(parts: list[dict[str, Any]], above: str | None = None) -> list[tuple[Any, ...]]:
    """Id, kind, label, file, lines, positions of every part; each names the one that it is in."""
    found = []
    for part in parts:
        assert part["parent_id"] == above
        assert part["chunk_count"] == part["positions"][1] - part["positions"][0] + 1
        found.append(tuple(part[name] for name in ("id", "kind", "label", "file_path", "line_range", "positions")))
        found += flat(part["children"], part["id"])
    return found


def texts(client: Client, address: str) -> list[str]:
    return [chunk["text"].strip() for chunk in client.get(address).json()["results"]]


def test_modules_chapters_sections_and_their_chunks(people: Cast) -> None:
    alice = make_program(people.alice, write=False)
    url = f"{OWN}/{personal_document(people.alice, zipped(BOOK), 'physics.zip').pk}"
    outline = alice.get(f"{url}/outline").json()
    assert outline["version"] == 1
    assert flat(outline["parts"]) == [
        ("1", "module", "Module 1", "1-motion.md", [7, 11], [0, 1]),
        ("1.1", "chapter", "Module 1, Chapter 1", "1-motion.md", [7, 11], [0, 1]),
        ("1.1.1", "section", "Module 1, Chapter 1, Section 1", "1-motion.md", [7, 7], [0, 0]),
        ("1.1.2", "section", "Module 1, Chapter 1, Section 2", "1-motion.md", [11, 11], [1, 1]),
        ("2", "module", "Module 2", "2-heat.md", [5, 5], [2, 2]),
        ("2.1", "chapter", "Module 2, Chapter 1", "2-heat.md", [5, 5], [2, 2]),
    ]
    first = outline["parts"][0]
    assert (first["title"], first["number"], first["level"]) == ("Module 1: Motion", "1", 1)
    assert texts(alice, f"{url}/chunks?section=1") == ["Slow.", "Fast."]
    assert texts(alice, f"{url}/chunks?section=1.1.2") == ["Fast."]
    [chunk] = alice.get(f"{url}/chunks?section=2.1").json()["results"]
    assert (chunk["label"], chunk["file_path"], chunk["line_range"]) == (
        "Module 2, Chapter 1",
        "2-heat.md",
        [5, 5],
    )


def test_pages_of_a_part_stay_within_it(people: Cast) -> None:
    alice = make_program(people.alice)
    url = f"{OWN}/{personal_document(people.alice, zipped(BOOK), 'physics.zip').pk}"
    first = alice.get(f"{url}/chunks?section=1&limit=1").json()
    assert texts(alice, first["next"]) == ["Fast."]
    assert alice.get(first["next"]).json()["next"] is None


@pytest.mark.parametrize(("section", "status"), [("3", 404), ("1.9", 404), ("1.x", 400), ("1." * 20, 400), ("١", 400)])
def test_a_part_that_is_none(people: Cast, section: str, status: int) -> None:
    url = f"{OWN}/{personal_document(people.alice, zipped(BOOK), 'physics.zip').pk}"
    response = make_program(people.alice).get(f"{url}/chunks", {"section": section})
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"


def test_a_reader_who_has_it_is_told_that_it_is_the_same(people: Cast) -> None:
    alice = make_program(people.alice)
    document = personal_document(people.alice, zipped(BOOK), "physics.zip")
    url = f"{OWN}/{document.pk}/outline"
    etag = alice.get(url)["ETag"]
    assert alice.get(url, headers={"If-None-Match": etag}).status_code == 304


def test_before_it_is_indexed_there_are_no_parts(people: Cast) -> None:
    alice = make_program(people.alice)
    url = f"{OWN}/{personal_document(people.alice, zipped(BOOK), 'physics.zip', indexed=False).pk}"
    assert alice.get(f"{url}/outline").json() == {"version": None, "parts": []}
    assert alice.get(f"{url}/chunks?section=1").status_code == 404
    index_all()
    assert len(alice.get(f"{url}/outline").json()["parts"]) == 2


def test_nobody_else_reads_it(people: Cast) -> None:
    own = f"{OWN}/{personal_document(people.alice, zipped(BOOK), 'physics.zip').pk}/outline"
    library = f"{LIBRARY}/{school_document(people.carol, zipped(BOOK), 'physics.zip').pk}/outline"
    assert Client().get(own).status_code == 401
    for stranger in (people.bob, people.carol, people.charlie):
        assert make_program(stranger).get(own).status_code == 404
    assert make_program(people.bob).get(library).status_code == 200
    assert make_program(people.chloe).get(library).status_code == 404


def test_what_was_odd_is_told(people: Cast) -> None:
    odd = {**BOOK, "b.md": "# A\n\n### B\n\nText.\n", "a.png": "x"}
    url = f"{OWN}/{personal_document(people.alice, zipped(odd), 'physics.zip').pk}"
    assert make_program(people.alice).get(url).json()["notes"] == [
        "Left out, as they are not Markdown: a.png.",
        "Levels of headings are skipped (b.md, line 3): a section may stand under another heading than meant.",
    ]
