"""Search in one scope: what is found, in which order, and what never is (H5, H6, S2)."""

from collections.abc import Sequence

import numpy as np
import pytest

from corpus.ingestion import uploads
from corpus.passages import Passage
from corpus.search.relevance import relevance
from corpus.search.search import CLOSENESS
from corpus.sources import Query
from engines.embedding import get_embedder
from knowledge.models import PersonalChunk, PersonalDocument
from knowledge.sources import PersonalSource
from school_library.models import SchoolDocument
from school_library.services import set_published
from school_library.sources import SchoolSource
from schools.models import School
from tests.factories import Cast, personal_document, school_document
from text.languages import detect_configuration

pytestmark = pytest.mark.django_db


def query(text: str) -> Query:
    return Query.of(text, get_embedder())


def find(text: str, limit: int = 5) -> Sequence[Passage]:
    return PersonalSource(School.objects.get(slug="riverside"), PersonalDocument.objects.all()).search(
        query(text), limit
    )


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


def test_a_word_is_the_same_whatever_signs_stand_around_it(people: Cast) -> None:
    marked = "# Shop\n\nThe „Zwiebelkuchen“ – «soixante» euros… costs ‘little’."
    personal_document(people.alice, marked, "shop.md")
    for asked in ("“Zwiebelkuchen”?", "zwiebelkuchen", "soixante…", "little—or not?"):
        [found] = find(asked)
        assert found.standing is not None
        word = asked.strip("“”?…").split("—")[0]
        assert (word.lower() in found.standing.found, found.standing.closeness > 0) == (True, True), asked


def test_of_passages_with_the_same_words_the_one_that_has_them_together_comes_first(people: Cast) -> None:
    filler = "The lesson begins and everybody sits down to listen to the teacher."
    apart = f"Magnesium is a metal. {filler} A ribbon is a band. {filler} Burning is hot. {filler} Lamps are bright."
    together = f"Lamps are hot. {filler} A burning ribbon of magnesium is bright. {filler} Metal is a band. {filler}"
    personal_document(people.alice, f"# A\n\n{apart}\n", "a.md")
    personal_document(people.alice, f"# B\n\n{together}\n", "b.md")
    best, other = find("bright burning magnesium ribbon")
    assert best.document_title == "b"
    assert best.score > other.score + CLOSENESS / 6


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
    sentences = " ".join(f"Step {n} of the long procedure is described here with some care." for n in range(40))
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


def test_relevance_grows_with_the_score_and_asks_more_in_a_larger_scope() -> None:
    def of(score: float, size: int) -> float:
        return relevance(score, size=size, mean=0.05, spread=0.1)

    assert 0 < of(-1, 10) < of(0.3, 10) < of(1.5, 10) < 1
    assert of(0.7, 100) > of(0.7, 10_000)
    assert of(1.2, 300) > 0.85
    assert of(0.4, 300) < 0.2


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
    documents = SchoolDocument.objects.filter(pk=document.pk)
    assert SchoolSource(people.alice.school, documents).search(query("goggles"), 5)
    set_published(document=document, published=False)
    source = SchoolSource(people.alice.school, documents)
    assert source.is_empty()
    assert not source.search(query("goggles"), 5)


def test_chunks_of_another_model_are_not_compared(people: Cast) -> None:
    personal_document(people.alice)
    PersonalChunk.objects.update(embedding_model="another-model")
    assert not find("hydrochloric acid")


def test_a_document_is_found_by_its_new_title(people: Cast) -> None:
    document = personal_document(people.alice)
    uploads.rename(document, "Zeppelin notes")
    (best, *_) = find("zeppelin")
    assert best.document_title == "Zeppelin notes"
    assert best.score > find("unheardof")[0].score + 0.3


def test_a_quoted_phrase_wins(people: Cast) -> None:
    scattered = "# A\n\nSafety first means goggles, gloves and a coat, first of all for safety.\n\n"
    personal_document(people.alice, f"{scattered}# B\n\nThe motto is Safety First.\n", "motto.md")
    assert "motto" in find('Where does "safety first." stand?')[0].excerpt


@pytest.mark.parametrize(
    ("text", "language", "question", "wanted"),
    [
        (
            "# Unfälle\n\nNach einem Unfall im Labor wird sofort die Schulleitung verständigt.\n\n"
            "# Brille\n\nSchutzbrillen werden immer getragen, wenn mit Säuren gearbeitet wird.\n",
            "german",
            "Wann muss man eine Schutzbrille tragen?",
            "Schutzbrillen",
        ),
        (
            "# Лаборатория\n\nВ лаборатории всегда носят защитные очки и халат.\n\n"
            "# Библиотека\n\nКниги из школьной библиотеки возвращают через две недели.\n",
            "russian",
            "Когда возвращают книги?",
            "Книги",
        ),
        (
            "# 实验室\n\n在实验室里必须戴护目镜,学生不得单独做实验。\n\n"
            "# 图书馆\n\n图书馆的书两个星期以后要还,过期要交罚款。\n",
            "simple",
            "图书馆的书什么时候要还?",
            "图书馆",
        ),
    ],
)
def test_documents_in_other_languages(people: Cast, text: str, language: str, question: str, wanted: str) -> None:
    document = personal_document(people.alice, text, "other.md")
    assert document.language == language
    assert wanted in find(question)[0].excerpt


def test_cosines_in_another_language_and_their_mean_and_deviation_are_shifted(people: Cast) -> None:
    rules = "".join(f"## Raum {n}\n\nIm Raum {n} werden die Fenster jeden Abend geschlossen.\n\n" for n in range(40))
    personal_document(people.alice, f"# Regeln\n\n{rules}", "regeln.md")
    personal_document(people.alice)
    asked = query("When are the windows of a room closed?")
    cosines = {}
    for chunk in PersonalChunk.objects.all():
        shift = asked.scale.foreign if chunk.language == "german" else 0.0
        cosine = asked.scale.apply(float(np.array(chunk.embedding) @ asked.embedding)) + shift
        cosines[str(chunk.document_id), chunk.position] = cosine
    mean, spread = float(np.mean([*cosines.values()])), float(np.std([*cosines.values()], ddof=1))
    found = find(asked.text, limit=len(cosines))
    assert {one.language for one in found} == {"de", "en"}
    for one in found:
        assert one.standing is not None
        assert one.standing.cosine == pytest.approx(cosines[one.key[1:]], abs=0.01)
        score = relevance(one.score, size=len(cosines), mean=mean, spread=spread)
        assert one.relevance == pytest.approx(max(score, one.standing.stated), abs=0.01)


def test_a_table_of_names_is_taken_for_english_and_a_language_without_stems_word_for_word() -> None:
    table = "Instrument | Borrower | Due\nTrombone | Ada Kent | 12 May\nCello | Ben Moss | 3 June\n"
    assert detect_configuration(table) == "english"
    assert detect_configuration("Uczniowie ostrożnie rozcieńczali kwasy w probówkach na lekcji chemii") == "simple"
