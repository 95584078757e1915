"""What a chatbot gets from ZIM files: the right article, the right section, and the others when one is broken."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from corpus.passages import Passage
from corpus.sources import PageUnavailable, Query
from engines.embedding import get_embedder
from engines.embedding.vector_cache import PassageCache
from references.kinds import WIKIPEDIA_OFFLINE
from references.models import Archive, ArchiveState, ReferenceSettings
from references.offline.finding import FoundPage, find_pages
from references.offline.full_text import search_full_text, word_weights
from references.offline.opened import index_path, open_archive
from references.offline.pages import PageText, split_windows
from references.offline.passages import best_passages, reader_address
from references.offline.question import QuestionWords
from references.offline.ranking import PageEvidence, page_probability, relevance_among
from references.offline.source import OfflineSource, offline_page, offline_source
from references.sections import ArticleSection
from tests.factories import cast, make_chatbot
from tests.references.offline import zim_files
from tests.references.offline.archives import add

pytestmark = pytest.mark.django_db


def ask(source: Any, question: str, limit: int = 5) -> list[Passage]:
    return list(source.search(Query.of(question, get_embedder()), limit))


@pytest.mark.parametrize(
    ("question", "path", "words"),
    [
        ("Why is the sky orange at sunset?", "Sunset", "blue and green, are scattered"),
        ("What colour are sunsets on Mars?", "Sunset", "Mars are blue"),
        ("Which memory does a vaccination use?", "Immune_system", "adaptive immune system"),
        ("What does the imune sistem do when pathogens get in?", "Immune_system", "innate immune system"),
        ("How does the electric field of a wave move the charges?", "Rayleigh_scattering", "same frequency"),
        ("How long is an Abendrot?", "Sunset", ""),
    ],
)
def test_the_right_section_of_the_right_article_is_found(
    archive: Archive, question: str, path: str, words: str
) -> None:
    passages = ask(OfflineSource([archive]), question)
    assert passages[0].external_id == f"{archive.pk}/{path}"
    assert words in passages[0].excerpt


def test_a_passage_says_where_it_is_from(archive: Archive) -> None:
    found = ask(OfflineSource([archive]), "What colour are sunsets on Mars?")
    best = found[0]
    assert best.kind is WIKIPEDIA_OFFLINE
    assert (best.document_title, best.heading_path) == ("Sunset", ("Colours", "Other planets"))
    assert best.address == f"/references/read/{archive.pk}/Sunset?section=Planets&edition={archive.uuid}#passage"
    assert best.revision == str(archive.uuid)
    assert best.read_at
    assert best.excerpt in best.text
    assert best.relevance > 0.5
    assert [one.relevance for one in found] == sorted((one.relevance for one in found), reverse=True)
    assert all("navigation" not in one.text and "Infobox" not in one.text for one in found)


def test_no_more_than_the_limit_is_returned(archive: Archive) -> None:
    assert len(ask(OfflineSource([archive]), "Why is the sky orange at sunset?", 2)) == 2


def test_a_question_about_nothing_in_the_file_finds_nothing_relevant(archive: Archive) -> None:
    passages = ask(OfflineSource([archive]), "Who won the football championship in 1954?")
    assert all(passage.relevance < 0.5 for passage in passages)


def test_a_file_without_full_text_is_found_by_titles(indexes: Path, tmp_path: Path) -> None:
    entries = {name: zim_files.Entry(html, name.replace("_", " ")) for name, html in zim_files.PAGES.items()}
    row = add(zim_files.write(tmp_path / "plain.zim", zim_files.Contents(entries, indexed=False)))
    assert ask(OfflineSource([row]), "What is Rayleigh scattering?")[0].document_title == "Rayleigh scattering"


def test_with_a_limit_the_file_is_asked_for_its_titles(zim_file: Path, indexes: Path) -> None:
    assert ask(OfflineSource([add(zim_file, limit=1)]), "What is a Sunset?")[0].document_title == "Sunset"


def test_stages_end_when_an_article_is_sure_enough(
    archive: Archive, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []

    def watched(file: Any, weights: Any, count: int) -> list[str]:
        searched.append(count)
        return search_full_text(file, weights, count)

    monkeypatch.setattr("references.offline.finding.search_full_text", watched)
    opened = open_archive(archive)
    query = Query.of("What is a sunset?", get_embedder())
    for threshold, stages in ((0.0, 0), (1.0, 1)):
        settings.LECTERN_TITLE_SIM_EXIT = settings.LECTERN_SIM_THRESHOLD = threshold
        found = find_pages([opened], query, until=time.perf_counter() + 60, failed=lambda archive, reason: None)
        assert found[0].page.title == "Sunset"
        assert len(searched) == stages
    find_pages([opened], query, until=0, failed=lambda archive, reason: None)
    assert len(searched) == 1, "nothing new begins after the deadline"


def test_of_a_broken_archive_it_is_told_and_the_others_answer(archive: Archive, tmp_path: Path) -> None:
    pages = {"Comet": "<h1>Comet</h1><p>A comet has a tail of dust and gas.</p>"}
    other = add(zim_files.write(tmp_path / "comets.zim", zim_files.of_pages(pages, Name="comets")))
    source = OfflineSource([archive, other])
    Path(other.path).unlink()
    assert ask(source, "Why is the sky orange at sunset?")[0].document_title == "Sunset"
    assert source.lacks_some
    other.refresh_from_db()
    assert (other.state, other.reason) == (ArchiveState.READY, "")


def test_all_archives_are_searched_together(archive: Archive, tmp_path: Path) -> None:
    pages = {"Comet": "<h1>Comet</h1><p>A comet has a tail of dust and gas.</p>"}
    other = add(zim_files.write(tmp_path / "comets.zim", zim_files.of_pages(pages, Name="comets")))
    source = OfflineSource([archive, other])
    assert ask(source, "What is the tail of a comet?")[0].document_title == "Comet"
    assert ask(source, "Why is the sky orange at sunset?")[0].document_title == "Sunset"


def test_a_chatbot_gets_archives_in_its_language_if_there_are_any(archive: Archive, tmp_path: Path) -> None:
    pages = {"Komet": "<h1>Komet</h1><p>Ein Komet hat einen Schweif aus Staub.</p>"}
    german = add(zim_files.write(tmp_path / "de.zim", zim_files.of_pages(pages, Name="de", Language="deu")))
    for language, expected in (("en", {archive.pk}), ("de", {german.pk}), ("fr", {archive.pk, german.pk})):
        source = offline_source(SimpleNamespace(language=language))
        assert isinstance(source, OfflineSource)
        assert set(source._archives) == expected
    assert ask(OfflineSource([german]), "Woraus ist der Schweif eines Kometen?")[0].document_title == "Komet"


def test_only_a_school_that_allows_it_gets_archives(archive: Archive) -> None:
    alice = cast().alice
    chatbot = make_chatbot(alice)
    assert WIKIPEDIA_OFFLINE.source_for
    assert WIKIPEDIA_OFFLINE.source_for(chatbot) is None
    ReferenceSettings.objects.create(school=alice.school, allows_wikipedia_offline=True)
    source = WIKIPEDIA_OFFLINE.source_for(chatbot)
    assert source
    assert (source.is_indexed, source.is_empty()) == (False, False)


def test_without_archives_the_source_is_empty(indexes: Path) -> None:
    source = offline_source(SimpleNamespace(language="en"))
    assert source
    assert source.is_empty()


@pytest.mark.parametrize("wanted", ["Rayleigh_scattering", "Rayleigh scattering", "rayleigh SCATTERING", "Dusk"])
def test_one_page_answers_alone(archive: Archive, wanted: str) -> None:
    source = offline_page(None, f"{archive.pk}/{wanted}")
    passages = ask(source, "Why is the sky orange at sunset?", 20)
    assert {one.document_title for one in passages} == {source.page.title}


def test_a_page_that_is_not_there_is_told_in_words(archive: Archive) -> None:
    for path in ("Nothing", "I/dot.png"):
        with pytest.raises(PageUnavailable, match="has no page"):
            offline_page(None, f"{archive.pk}/{path}")
    index_path(archive.uuid).unlink()  # type: ignore[arg-type]
    with pytest.raises(PageUnavailable, match="This server cannot read"):
        offline_page(None, f"{archive.pk}/Sunset")


def test_a_page_of_a_damaged_file_is_told_in_words(indexes: Path, tmp_path: Path) -> None:
    path = zim_files.write(tmp_path / "damaged.zim", zim_files.of_pages(Name="damaged"))
    added = add(path)
    zim_files.damage(path, "Sunset")
    with pytest.raises(PageUnavailable, match="This server cannot read “Test Encyclopedia” just now"):
        offline_page(None, f"{added.pk}/Sunset")
    assert Archive.objects.get().state == ArchiveState.READY


def test_full_text_is_asked_with_fewer_and_fewer_words(archive: Archive) -> None:
    file = open_archive(archive).file
    weights = word_weights(file, ["pathogens", "Mars", "sunset", "zzz"])
    assert set(weights) == {"pathogens", "Mars", "sunset"}
    assert search_full_text(file, weights, 10)[0] == "Sunset", "it has two of the words, no article has all"
    assert search_full_text(file, {}, 10) == []


def test_a_question_is_its_content_words_and_its_runs_of_words() -> None:
    words = QuestionWords.of("What is the University of Chicago?", "en")
    assert words.words == {"universiti": "University", "chicago": "Chicago"}
    assert {"University of Chicago", "Chicago"} <= set(words.names)
    assert not {"What", "is the"} & set(words.names)


def test_windows_overlap_and_cover_the_text() -> None:
    text = " ".join(f"w{number}" for number in range(100))
    pieces = list(split_windows(text, lambda word: 1, tokens=40, overlap=10))
    assert [len(text[start:end].split()) for start, end in pieces] == [40, 40, 40]
    assert text[slice(*pieces[1])].split()[:10] == text[slice(*pieces[0])].split()[-10:]
    assert pieces[-1][1] == len(text)
    assert list(split_windows("", len)) == []
    assert list(split_windows("giant word", lambda word: 500)) == [(0, 5), (6, 10)]


def test_more_evidence_makes_an_article_surer() -> None:
    none, some, much = (PageEvidence(0, part, part, part) for part in (0.0, 0.5, 1.0))
    assert page_probability(none) < 0.1 < page_probability(some) < page_probability(much)
    assert page_probability(PageEvidence(1.5, 1, 1, 0, trust=0.0)) > 0.9


def test_the_best_of_many_articles_says_less() -> None:
    assert 0.9 > relevance_among(0.9, 1) > relevance_among(0.9, 1_000)
    assert relevance_among(0.9, 1_000) > relevance_among(0.9, 100_000)
    assert (relevance_among(0.0, 1_000), relevance_among(1.0, 1_000)) == (0.0, 1.0)


def test_the_cache_of_vectors_is_bounded() -> None:
    cache, embedder = PassageCache(kept=2), get_embedder()
    first = cache.embed(["one", "two", "one"], embedder)
    assert first.shape == (3, embedder.dimensions)
    assert (first[0] == first[2]).all()
    cache.embed(["three"], embedder)
    assert len(cache) == 2
    assert cache.embed([], embedder).shape == (0, embedder.dimensions)


def test_an_address_that_is_too_long_loses_its_section(archive: Archive) -> None:
    opened = open_archive(archive)
    assert reader_address(opened, "Sunset", "ä" * 400).endswith("/Sunset")
    assert len(reader_address(opened, "Sunset", "ä" * 400)) <= 2000


def test_an_article_whose_own_address_is_too_long_is_left_out(archive: Archive) -> None:
    long = FoundPage(
        open_archive(archive), PageText("ä" * 400, "Sunset", "en", (ArticleSection((), "The sky is red."),)), 1, {}
    )
    query = Query.of("Why is the sky red?", get_embedder())
    assert best_passages([long], query, 5, kind=WIKIPEDIA_OFFLINE) == []
