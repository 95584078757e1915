"""From a file of each kind to an answer with the right passage (D1, D2)."""

import pytest

from tests.documents import pdf, word
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db

FACT = "The burettes are kept in cupboard seven of the preparation room."
OTHER = "Homework is handed in on Thursdays before the first lesson."
QUESTION = "In which cupboard are the burettes kept?"

FILES = {
    "pdf": (pdf([["Homework", "", OTHER], ["Equipment", "", FACT]]), "room.pdf"),
    "docx": (
        word(("Heading 1", "Homework"), ("Normal", OTHER), ("Heading 1", "Equipment"), ("Normal", FACT)),
        "room.docx",
    ),
    "markdown": (f"# Homework\n\n{OTHER}\n\n# Equipment\n\n{FACT}\n".encode(), "room.md"),
    "text": (f"{OTHER}\n\n\n{FACT}\n".encode(), "room.txt"),
    "utf-16": (f"{OTHER}\n\n\n{FACT}\n".encode("utf-16"), "room.txt"),
    "markdown without an ending": (f"# Homework\n\n{OTHER}\n\n# Equipment\n\n{FACT}\n".encode(), "room"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_indexed_and_answers(people: Cast, kind: str) -> None:
    data, name = FILES[kind]
    document = personal_document(people.alice, data, name)
    assert document.status == "ready", document.failure_reason
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), QUESTION)
    assert FACT in message.answer
    source = message.sources.get(is_cited=True, excerpt__contains=FACT)
    assert source.page == (2 if kind == "pdf" else None)
    if kind in ("docx", "markdown"):
        assert source.heading_path == ["Equipment"]
    if kind == "markdown":
        assert (source.line_start, source.line_end) == (7, 7)
