"""The registry of the kinds of source."""

from dataclasses import replace

import pytest

from corpus.source_kinds import (
    Participation,
    SourceKind,
    get_kind,
    list_document_kinds,
    list_kinds,
    list_searchable_kinds,
    register,
)
from knowledge.sources import PERSONAL


def test_a_new_chatbot_shares_its_places_60_to_40() -> None:
    assert {kind.value: kind.weight for kind in list_searchable_kinds() if kind.weight} == {
        "personal": 60,
        "school": 40,
    }


def test_of_the_documents_only_the_library_is_for_others_to_read() -> None:
    assert [kind.value for kind in list_document_kinds() if not kind.is_private] == ["school"]


def test_what_nobody_registers_is_private_and_leads_nowhere() -> None:
    kind = get_kind("gone")
    assert (kind.is_private, kind.source_for, kind.documents_for) == (True, None, None)


@pytest.mark.parametrize(
    "wrong",
    [
        SourceKind("x" * 21, "X", "x"),
        SourceKind("", "X", "x"),
        SourceKind("web", "Web", "the web", participation=Participation.SHARES, weight=1),
        replace(PERSONAL, participation=Participation.OFF),
    ],
)
def test_a_kind_that_cannot_be_stored_is_refused(wrong: SourceKind) -> None:
    before = list_kinds()
    with pytest.raises(ValueError, match=r"The (value|shares)"):
        register(wrong)
    assert list_kinds() == before
