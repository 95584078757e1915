"""Search in one scope: what is found, in which order, and what never is (H5, H6, S2)."""

import pytest

from corpus.passages import Passage, Query, SourceKind
from corpus.search import relevance, search
from engines.embedding import get_embedder
from knowledge.models import PersonalChunk, PersonalDocument
from knowledge.sources import PersonalSource
from school_library.models import SchoolDocument
from school_library.services import set_published
from school_library.sources import SchoolSource
from tests.factories import Cast, cast, personal_document, school_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    return cast()


def query(text: str) -> Query:
    embedder = get_embedder()
    return Query(text=text, embedding=embedder.embed_query(text), model=embedder.name)


def find(text: str, limit: int = 5) -> list[Passage]:
    return search(PersonalChunk.objects.all(), query(text), limit, kind=SourceKind.PERSONAL)


def test_the_passage_that_answers_comes_first(people: Cast) -> None:
    document = personal_document(people.alice)
    best = find("Which concentration of hydrochloric acid is used?")[0]
    assert "0.5 mol/l" in best.excerpt
    assert best.heading_path == ("Year 9 acids", "Practical")
    assert (best.document_id, best.document_title, best.version) == (document.pk, "acids", 1)
    assert best.lines == (5, 5)
    assert best.relevance > 0.5


def test_exact_codes_and_numbers_are_found(people: Cast) -> None:
    filler = "\n\n".join(f"## Rule {n}\n\nCode LS-{n:02} says how room {n} is checked." for n in range(1, 30))
    personal_document(people.alice, f"# Rules\n\n{filler}\n")
    assert "room 17 " in find("LS-17")[0].excerpt


def test_quotes_backslashes_and_nothing_but_stop_words_are_searched_without_error(people: Cast) -> None:
    personal_document(people.alice)
    for odd in (
        "it's \\ 'quoted' & | ! ( ) :* <->",
        "the of and",
        "\\'",
        "日本語",
        "C:\\temp\\x",
        "a" * 2000,
    ):
        assert len(find(odd)) == 2


def test_a_passage_brings_its_section(people: Cast) -> None:
    sentences = " ".join(
        f"Step {n} of the long procedure is described here with some care." for n in range(40)
    )
    personal_document(people.alice, f"# Procedure\n\n{sentences}\n")
    (best,) = find("step 23 of the long procedure")
    assert "Step 23 " in best.excerpt
    assert len(best.excerpt) < len(best.text)
    assert " ".join(best.text.split()) == sentences


def test_limit_and_order_are_kept_and_ties_broken_always_the_same_way(people: Cast) -> None:
    for n in range(4):
        personal_document(people.alice, f"# Doc {n}\n\nThe very same words about dilution.\n", f"{n}.md")
    keys = [[passage.key for passage in find("dilution", limit)] for limit in (4, 4, 2)]
    assert keys[0] == keys[1]
    assert keys[2] == keys[0][:2]


def test_relevance_is_half_at_the_threshold_and_stays_between_0_and_1() -> None:
    assert relevance(0.05 + 0.101 * 5.8081425, 333) == pytest.approx(0.5, abs=1e-3)
    assert 0 <= relevance(-1, 10) < relevance(0.3, 10) < relevance(1.5, 10) <= 1
    assert relevance(0.6, 100) > relevance(0.6, 10_000)


def test_a_personal_source_holds_only_its_documents(people: Cast) -> None:
    own = personal_document(people.alice)
    personal_document(people.alice, "# Other\n\nHydrochloric acid again.\n", "other.md")
    personal_document(people.charlie)
    source = PersonalSource(people.alice.school, PersonalDocument.objects.filter(pk=own.pk))
    assert {passage.document_id for passage in source.search(query("hydrochloric acid"), 10)} == {own.pk}


def test_a_source_never_leaves_its_school_whatever_documents_it_is_given(people: Cast) -> None:
    personal_document(people.charlie)
    school_document(people.chloe)
    assert PersonalSource(people.alice.school, PersonalDocument.objects.all()).is_empty()
    library = SchoolSource(people.alice.school, SchoolDocument.objects.all())
    assert library.is_empty()
    assert not library.search(query("goggles"), 10)


def test_a_withdrawn_document_is_gone_at_once(people: Cast) -> None:
    document = school_document(people.carol)
    source = SchoolSource(people.alice.school, SchoolDocument.objects.filter(pk=document.pk))
    assert source.search(query("goggles"), 5)
    set_published(document=document, published=False)
    assert not source.search(query("goggles"), 5)
    assert source.is_empty()


def test_chunks_of_another_model_are_not_compared(people: Cast) -> None:
    personal_document(people.alice)
    PersonalChunk.objects.update(embedding_model="another-model")
    assert not find("hydrochloric acid")
