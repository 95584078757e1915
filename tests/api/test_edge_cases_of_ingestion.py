"""What the specification of the textbook pipeline asks under “Edge Cases” about documents, each answered by a test.

They go through the API as programs do, over HTTP to the running server, with access tokens: malformed Markdown, other
scripts, a database that is away, embedding that fails, the same content sent by many at once. About asking:
test_edge_cases_of_asking.py.
"""

from __future__ import annotations

import re
import threading
from unicodedata import normalize

import httpx
import pytest

from engines.embedding import Embedder
from knowledge.models import PersonalChunk, PersonalDocument
from tests.api.conftest import Program
from tests.api.edges import KEPT, falter, told_while_away
from tests.factories import ACIDS, Cast, index_all, make_token

pytestmark = pytest.mark.django_db(transaction=True)
# How does the system handle malformed Markdown during ingestion (missing headings, broken structure)?

MALFORMED = {
    "no headings": "Just a paragraph about zork.\n\nAnd another one.\n",
    "headings in no order": "### Zork deep\n\nText.\n\n# Up\n\nMore.\n\n##### Down\n\nEnd of it.\n",
    "headings alone": "# Zork\n\n## Nothing below\n\n### Nor here\n",
    "code that is never closed": "# Code\n\n```python\ndef zork():\n    return 1\n\n# not a heading\n",
    "a table with ragged rows": "# Table\n\n| a | b |\n|---|\n| zork | 2 | 3 |\n| 4\n\nAfter it.\n",
    "HTML that is never closed": "# Web\n\n<div><p>zork <b>bold\n\n<script>alert(1)\n\nAfter it.\n",
    "links that lead nowhere": "# Links\n\n[zork](((( and ![picture]( and [ref][none]\n\nAfter it.\n",
    "front matter that is never closed": "---\ntitle: zork\n\n# Heading\n\nText after it.\n",
    "too many number signs": "######### zork\n\n#also no heading\n\nText.\n",
    "quotes in lists in quotes": "> - > 1. > - zork\n>   > text\n\n* * *\n\n- [ ] open\n  - [x] done\n",
}


def test_malformed_markdown_is_indexed_and_no_word_is_lost(alice: Program) -> None:
    sent = {name: alice.upload(text, f"{name}.md").json()["id"] for name, text in MALFORMED.items()}
    index_all()
    for name, key in sent.items():
        document = alice.get(f"documents/{key}").json()
        assert (document["status"], document["failure_reason"]) == ("ready", ""), name
        text = alice.get_text(key)
        for word in re.findall(r"(?<!<)\b[A-Za-z]{3,}", MALFORMED[name].partition("<script>")[0]):
            assert word in text, (name, word)


# … or non-English text?


def test_a_document_in_any_script_keeps_its_characters(alice: Program) -> None:
    plain = ("right to left", "Chinese, Japanese, Thai", "emoji of many parts", "combining characters")
    text = "# Scripts\n\n" + "\n\n".join(f"{KEPT[name]}" for name in plain) + "\n"
    key = alice.upload(text, "обзор 試験 🧪.md").json()["id"]
    index_all()
    found = alice.get_text(key)
    for name in plain:
        assert normalize("NFC", KEPT[name]) in found, name
    assert alice.get(f"documents/{key}").json()["filename"] == "обзор 試験 🧪.md"


# How does the system behave when the database or the broker is temporarily unavailable?


def test_without_the_database_programs_are_told_to_come_back(people: Cast) -> None:
    token = make_token(people.alice, write=True)
    gone = "postgres://lectern:swordfish@127.0.0.1:1/lectern"
    steps = [("get", "/api/v1/documents", None), ("get", "/readyz", None), ("get", "/healthz", None)]
    (documents, ready, well), written = told_while_away(token, steps, DATABASE_URL=gone, LECTERN_DATABASE_PATIENCE="1")
    status, kind, retry_after, problem = documents
    assert (status, kind) == (503, "application/problem+json")
    assert 1 <= int(retry_after) <= 60
    assert problem["detail"] == "The database does not answer just now. Please try again later."
    assert ready[0] == 503
    assert "database" in ready[3]["missing"]
    assert (well[0], well[3]) == (200, {"status": "ok"})
    assert "swordfish" not in written


# What happens when embedding generation fails for a chunk (network error, API limit)?


LONG = "# Long\n\n" + "\n\n".join(f"## Part {n}\n\nThe number {n} is in part {n}." for n in range(80)) + "\n"


def test_embedding_that_fails_in_the_middle_is_tried_again(
    alice: Program, people: Cast, packaged: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    faltering = falter(monkeypatch, packaged, batches=range(1, 2))
    key = alice.upload(LONG).json()["id"]
    index_all()
    document = alice.get(f"documents/{key}").json()
    assert (document["status"], document["chunk_count"]) == ("ready", 80)
    assert faltering.embedded > 3, "from the first batch on once more"


def test_embedding_that_goes_on_failing_ends_in_words_and_no_half_index(
    alice: Program, people: Cast, packaged: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version before goes on answering."""
    key = alice.upload("# Before\n\nWhat was there before.\n").json()["id"]
    index_all()
    falter(monkeypatch, packaged, batches=range(1, 99))
    assert alice.put(f"documents/{key}/file", files={"file": ("notes.md", LONG.encode())}).status_code == 200
    index_all()
    document = alice.get(f"documents/{key}").json()
    assert (document["status"], document["answering_version"], document["version"]) == ("failed", 1, 2)
    assert document["failure_reason"].startswith("Something went wrong on our side")
    assert list(PersonalChunk.objects.values_list("text", flat=True)) == ["What was there before."]


# How does the system handle concurrent ingestion requests (same content ingested multiple times)?


def test_twenty_programs_that_send_one_file_at_once_make_one_document(server: str, people: Cast) -> None:
    start = threading.Barrier(20)
    answers: list[httpx.Response] = []
    token = make_token(people.alice, write=True)

    def send() -> None:
        with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60) as program:
            start.wait()
            sent = {"file": ("acids.md", ACIDS.encode())}
            answers.append(program.post(f"{server}/api/v1/documents", files=sent))

    threads = [threading.Thread(target=send) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    index_all()
    document = PersonalDocument.objects.get()
    assert (document.status, document.version) == ("ready", 1)
    assert document.versions.count() == 1
    assert document.chunks.count() == 2
