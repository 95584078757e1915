"""W1, W3: live Wikipedia and Wikibooks, politely and with a cache."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import Settings

from chatbots.models import Chatbot, MessageSource
from corpus.passages import Passage, short_id
from corpus.source_kinds import get_kind
from corpus.sources import PageUnavailable, Query
from engines.embedding import get_embedder
from references.fetching.connections import Deadline
from references.fetching.fetch import FetchFailed
from references.fetching.permit import Permit
from references.live.chunks import select_for_scoring, split_chunks
from references.live.client import WikiClient
from references.live.keywords import keywords, searches
from references.live.source import LivePage, LiveSource, live_id, live_page
from references.live.throttling import request_politely
from references.live.wikis import Wiki, get_wiki
from references.models import ReferenceSettings
from references.sections import ArticleSection
from tests.references.conftest import Wikis
from tests.references.web import Step, page

QUESTION = "What do light reactions of photosynthesis set free?"


def ask(question: str, limit: int = 10) -> Sequence[Passage]:
    return LiveSource("en", Permit()).search(Query.of(question, get_embedder()), limit)


def test_a_question_finds_the_right_section_of_the_right_page(wikis: Wikis) -> None:
    best, *others = ask(QUESTION)
    assert (best.document_title, best.heading_path) == ("Photosynthesis", ("Light reactions",))
    assert best.excerpt.startswith("In the light reactions") and best.relevance > 0.7
    assert best.address == f"{wikis.peers[0].url}/w/index.php?title=Photosynthesis&oldid=17#Light_reactions"
    assert (best.revision, best.external_id, best.kind) == (
        "17",
        "wikipedia:en:Photosynthesis",
        get_kind("wikipedia_live"),
    )
    assert best.read_at is not None
    assert {passage.heading_path for passage in others} == {(), ("Calvin cycle",)}


def test_the_words_of_a_question_are_searched_in_both_wikis_at_once(wikis: Wikis) -> None:
    best, *_ = ask("How can pupils measure photosynthesis with pondweed?")
    assert best.document_title == "Experiments/Pondweed (Wikibooks)"
    assert best.address.startswith(f"{wikis.peers[1].url}/w/index.php?title=Experiments/Pondweed&oldid=5")
    searched = "/w/rest.php/v1/search/page?q=pupils%20measure%20photosynthesis%20pondweed&limit=2"
    assert all(peer.paths[0] == searched for peer in wikis.peers)


def test_a_second_question_about_the_same_page_reads_it_no_more(wikis: Wikis) -> None:
    ask(QUESTION)
    before = sum("/search/" not in path for peer in wikis.peers for path in peer.paths)
    best, *_ = ask("Which enzyme takes carbon dioxide in the Calvin cycle of photosynthesis?")
    assert best.heading_path == ("Calvin cycle",)
    assert sum("/search/" not in path for peer in wikis.peers for path in peer.paths) == before


def test_an_address_that_is_too_long_loses_its_anchor(wikis: Wikis) -> None:
    revision, html = wikis.wikipedia.pages["Photosynthesis"]
    wikis.wikipedia.pages["Photosynthesis"] = revision, html.replace('id="Light_reactions"', f'id="{"ä" * 400}"')
    best, *_ = ask(QUESTION)
    assert best.heading_path == ("Light reactions",)
    assert best.address == f"{wikis.peers[0].url}/w/index.php?title=Photosynthesis&oldid=17"


def test_a_page_whose_own_address_is_too_long_is_left_out(wikis: Wikis) -> None:
    found = {"key": "光" * 250, "title": "Light", "html": "<p>Light.</p>", "latest": {"id": 1}}
    wikis.wikipedia.trouble = [page(json.dumps(found), media_type="application/json")]
    with pytest.raises(FetchFailed, match="cannot be read"):
        client(get_wiki("wikipedia", "en")).page("Light")


def test_characters_that_cannot_be_stored_are_taken_out(wikis: Wikis) -> None:
    html = wikis.wikipedia.pages["Photosynthesis"][1]
    found = {"key": "a\0b\ud800", "title": "a\0b\ud800", "html": html, "latest": {"id": 1}}
    wikis.wikipedia.trouble = [page(json.dumps(found), media_type="application/json")]
    read = client(get_wiki("wikipedia", "en")).page("Photosynthesis")
    for text in (read.key, read.title):
        assert "\0" not in text and text.encode()


def test_what_one_school_has_read_is_not_there_for_another(wikis: Wikis) -> None:
    query = Query.of(QUESTION, get_embedder())
    requests = []
    for school in ("one", "one", "another"):
        before = wikis.connections
        assert LiveSource("en", Permit(school)).search(query, 5)
        requests.append(wikis.connections - before)
    assert requests[1] == 0
    assert requests[0] - 2 <= requests[2] <= requests[0]  # where the API of each wiki is, is known by then


def test_the_same_question_makes_no_request_even_if_nothing_was_found(wikis: Wikis) -> None:
    assert ask("Who won the chess championship of Mongolia?") == []
    before = wikis.connections
    assert ask("Who won the chess championship of Mongolia?") == []
    assert wikis.connections == before


def test_a_search_for_all_words_that_finds_nothing_is_relaxed(wikis: Wikis) -> None:
    best, *_ = ask("Does photosynthesis in the chloroplasts happen on Tuesdays?")
    assert best.document_title == "Photosynthesis"
    assert "q=photosynthesis%20chloroplasts&" in wikis.peers[0].paths[2]


def test_at_most_eight_passages_and_six_of_a_page(wikis: Wikis) -> None:
    part = "<h2 id='Part{0}'>Part {0}</h2><p>Glaciers of kind {0} carve valleys. {1}</p>"
    long = "".join(
        part.format(n, f"Ice flows slowly over rock number {n} and carries stones along. " * 4) for n in range(20)
    )
    wikis.wikipedia.pages |= {"Glacier": (1, long), "Glaciers_of_kind": (2, long)}
    passages = ask("What kind of valleys do glaciers carve?")
    assert len(passages) == 8
    assert all(sum(passage.revision == revision for passage in passages) <= 6 for revision in "12")
    assert len(ask("What kind of valleys do glaciers carve?", limit=3)) == 3


def test_one_page_can_be_asked_by_its_title(wikis: Wikis, chatbot: Chatbot) -> None:
    query = Query.of("Where does the Calvin cycle take place?", get_embedder())
    for title in ("Photosynthesis", " Photosynthetic#History"):
        best, *_ = live_page(chatbot, live_id("wikipedia", "en", title)).search(query, 5)
        assert (best.document_title, best.heading_path) == ("Photosynthesis", ("Calvin cycle",))
    assert wikis.connections == 3  # the redirect, too, is known afterwards
    pondweed = live_page(chatbot, live_id("wikibooks", "en", "Experiments/Pondweed")).search(query, 5)
    assert [passage.document_title for passage in pondweed] == ["Experiments/Pondweed (Wikibooks)"]
    with pytest.raises(FetchFailed, match="Wikipedia has no page “Nothing”"):
        live_page(chatbot, live_id("wikipedia", "en", "Nothing")).search(query, 5)
    with pytest.raises(FetchFailed, match="Wikipedia has no page “ ”"):
        live_page(chatbot, live_id("wikipedia", "en", " ")).search(query, 5)


def test_a_page_is_asked_in_the_language_of_its_id(wikis: Wikis, chatbot: Chatbot, settings: Settings) -> None:
    settings.LECTERN_WIKIPEDIA_URL = f"{wikis.peers[0].url}/{{language}}/rest.php"
    wikis.wikipedia.prefix = "/de/rest.php/v1"
    assert chatbot.language == "en"
    best, *_ = live_page(chatbot, "wikipedia:de:Volcano").search(Query.of("What is a volcano?", get_embedder()), 5)
    assert best.external_id == "wikipedia:de:Volcano"
    for language in ("", "xx", "evil.example/"):
        with pytest.raises(PageUnavailable, match="language"):
            live_page(chatbot, f"wikipedia:{language}:Volcano")


def test_a_page_whose_id_was_shortened_cannot_be_asked() -> None:
    whole = f"wikipedia:en:{'Volcano_' * 30}"
    short = short_id(whole)
    assert len(short) <= 200 and short != short_id(whole + "2")
    for external_id, is_offered in ((short, False), ("wikipedia:en:Volcano", True), ("", False)):
        source = MessageSource(kind="wikipedia_live", external_id=external_id)
        assert source.page_can_be_asked is is_offered


def test_both_wikis_are_asked_at_the_same_time(wikis: Wikis) -> None:
    """Each answers only after the other has been asked."""
    asked = threading.Event(), threading.Event()
    for number, (peer, wiki) in enumerate(zip(wikis.peers, (wikis.wikipedia, wikis.wikibooks), strict=True)):

        def answer(path: str, number: int = number, wiki: Any = wiki) -> Sequence[Step]:
            asked[number].set()
            return asked[1 - number], *wiki.answer(path)

        peer.answer = answer
    assert ask(QUESTION)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (" Calvin cycle ", "Calvin cycle"),
        ("https://en.wikipedia.org/wiki/S%C3%BC%C3%9Fe#History", "Süße"),
        ("https://EN.wikipedia.org/w/index.php?title=Calvin_cycle&oldid=7", "Calvin_cycle"),
        ("https://en.wikipedia.org/", ""),
        ("https://evil.example/wiki/Calvin_cycle", ""),
    ],
)
def test_a_page_may_be_named_by_its_address(text: str, title: str) -> None:
    assert get_wiki("wikipedia", "en").title_in(text) == title


BROKEN = {
    "no JSON": page("<p>Sorry</p>", media_type="application/json"),
    "a list": page("[]", media_type="application/json"),
    "deep JSON": page("[" * 100_000, media_type="application/json"),
    "a web page": page("<p>Sign in</p>"),
    "an error": page("{}", status=500, media_type="application/json"),
}


@pytest.mark.parametrize("trouble", BROKEN)
def test_a_wiki_that_fails_is_named_and_the_other_answers(trouble: str, wikis: Wikis, settings: Settings) -> None:
    settings.LECTERN_WIKIBOOKS_URL = f"{wikis.peers[1].url}/w/rest.php"
    wikis.wikipedia.trouble = [BROKEN[trouble]]
    best, *_ = ask("How can pupils measure photosynthesis with pondweed?")
    assert best.document_title == "Experiments/Pondweed (Wikibooks)"
    wikis.wikipedia.trouble = [BROKEN[trouble]] * 2
    wikis.wikibooks.trouble = [BROKEN[trouble]] * 2
    with pytest.raises(FetchFailed):
        ask("Why is a glacier blue?")


PAGES: list[Any] = [
    None,
    [],
    {"html": 1},
    {"key": "a", "title": "b", "html": "c", "latest": {"id": "; drop"}},
    {"pages": [1]},
]


@pytest.mark.parametrize("body", PAGES)
def test_a_page_of_another_shape_is_refused(body: Any, wikis: Wikis) -> None:
    wikis.wikipedia.trouble = [page(json.dumps(body), media_type="application/json")]
    with pytest.raises(FetchFailed, match="cannot be read"):
        client(get_wiki("wikipedia", "en")).page("Volcano")


def client(wiki: Wiki, seconds: float = 5) -> WikiClient:
    return WikiClient(wiki, Permit(), Deadline(seconds))


def test_a_silent_wiki_is_given_up_at_the_deadline(wikis: Wikis, settings: Settings) -> None:
    settings.LECTERN_LIVE_DEADLINE_MS = 400
    end = threading.Event()
    wikis.wikipedia.trouble, wikis.wikibooks.trouble = [(end,)] * 2, [(end,)] * 4
    with pytest.raises(FetchFailed, match=r"longer than 0\.\d seconds"):
        ask(QUESTION)
    end.set()


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_wiki_is_left_alone_as_long_as_it_wants(status: int, wikis: Wikis) -> None:
    wikis.wikipedia.trouble = [page("{}", status=status, media_type="application/json", Retry_After=60)]
    asked = client(get_wiki("wikipedia", "en"))
    for _ in range(3):
        with pytest.raises(FetchFailed, match=f"{status}|asked us to wait"):
            asked.page("Volcano")
    assert wikis.peers[0].connections == 1


def test_a_short_pause_is_waited_for(wikis: Wikis) -> None:
    wikis.wikipedia.trouble = [page("{}", status=429, media_type="application/json", Retry_After=0)]
    assert client(get_wiki("wikipedia", "en")).page("Volcano").revision == "23"
    assert wikis.peers[0].connections == 2


def test_pauses_grow_if_the_wiki_does_not_say_how_long(own_cache: None) -> None:
    pauses = []
    for _ in range(3):
        with pytest.raises(FetchFailed):
            request_politely("wiki.example", _busy, Deadline(1))
        pauses.append(round(cache.get("live:pause:wiki.example") - time.time()))
        cache.delete("live:pause:wiki.example")
    assert pauses == [5, 10, 20]


def _busy() -> None:
    raise FetchFailed("Later.", status=429)


def test_at_most_two_requests_at_a_time_go_to_a_host(own_cache: None) -> None:
    under_way, most = 0, 0
    lock, both = threading.Lock(), threading.Barrier(2, timeout=120)

    def request() -> None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        both.wait()  # two are there together, else this breaks
        with lock:
            under_way -= 1

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: request_politely("wiki.example", request, Deadline(20)), range(8)))
    assert most == 2


def test_a_slot_that_does_not_become_free_is_not_waited_for(own_cache: None) -> None:
    for number in range(2):
        cache.add(f"live:slot{number}:wiki.example", True, 60)
    with pytest.raises(FetchFailed, match="longer than"):
        request_politely("wiki.example", lambda: None, Deadline(0.2))


@pytest.mark.parametrize(
    ("base", "prefix"),
    [
        ("{url}", "/w/rest.php/v1"),
        ("{url}/", "/rest.php/v1"),
        ("{url}", "/v1"),
        ("{url}/w", "/w/rest.php/v1"),
        ("{url}/w/rest.php", "/w/rest.php/v1"),
        ("{url}/w/rest.php/v1/", "/w/rest.php/v1"),
        ("{url}/{language}/rest.php", "/de/rest.php/v1"),
    ],
)
def test_the_address_may_be_that_of_the_site_or_of_its_api(
    base: str, prefix: str, wikis: Wikis, settings: Settings
) -> None:
    wikis.wikipedia.prefix = prefix
    settings.LECTERN_WIKIPEDIA_URL = base.replace("{url}", wikis.peers[0].url)
    asked = client(get_wiki("wikipedia", "de"))
    assert asked.search("volcano", 2) == ["Volcano"]
    before = wikis.connections
    found = asked.page("Volcano")
    assert wikis.connections == before + 1  # it knows by now where the API is
    scripts = prefix.removesuffix("/v1").removesuffix("/rest.php")
    assert found.address == f"{wikis.peers[0].url}{scripts}/index.php?title=Volcano&oldid=23"


def test_wikipedia_is_asked_in_the_language_of_the_chatbot() -> None:
    wiki = get_wiki("wikipedia", "de")
    assert list(wiki.rest_addresses()) == ["https://de.wikipedia.org/w/rest.php/v1"]
    address = wiki.page_address(wiki.rest_addresses()[0], "Süße_(Geschmack)?", "7")
    assert address == "https://de.wikipedia.org/w/index.php?title=S%C3%BC%C3%9Fe_(Geschmack)%3F&oldid=7"


@pytest.mark.parametrize(
    ("base", "is_own"),
    [
        ("https://{language}.wikipedia.org/w/rest.php", False),
        ("https://wikipedia.org.evil.example", True),
        ("https://wiki.school.example", True),
    ],
)
def test_only_a_wiki_of_the_operator_may_be_in_a_private_network(base: str, is_own: bool, settings: Settings) -> None:
    settings.LECTERN_WIKIPEDIA_URL = base
    assert get_wiki("wikipedia", "en").is_own is is_own


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("What is photosynthesis?", "en", ["photosynthesis"]),
        ("In which year did Newton publish the Principia?", "en", ["Newton", "publish", "Principia"]),
        ("Wie viele Bundesländer hat Österreich?", "de", ["Bundesländer", "Österreich"]),
        ("Qu'est-ce que la photosynthèse ?", "fr", ["photosynthèse"]),
        ("¿Cuándo nació Cervantes?", "es", ["nació", "Cervantes"]),
        ('intitle:secret -"a" OR insource:/x/ ~b', "en", ["intitle", "secret", "insource", "x", "b"]),
        ("Was it?", "en", ["Was", "it"]),
        ("???", "en", []),
    ],
)
def test_a_question_is_reduced_to_its_keywords(question: str, language: str, words: list[str]) -> None:
    assert keywords(question, language) == words


def test_searches_of_keywords() -> None:
    assert searches([]) == []
    assert searches(["Newton", "publish", "Principia"]) == [
        "Newton publish Principia",
        "Newton Principia",
        "publish Principia",
        "Principia",
    ]
    assert searches(["dark", "Matter", "photosynthesis"])[-2:] == ["Matter", "photosynthesis"]


def test_short_sections_are_left_out_and_long_ones_cut_between_sentences() -> None:
    sentence = "Every sentence of this long section has exactly nine words. "
    sections = [
        ArticleSection((), "Too short."),
        ArticleSection(("Long",), sentence * 60, "Long"),
        ArticleSection(("Short",), "Nothing much."),
    ]
    embedder = get_embedder()
    chunks = split_chunks("Title", sections, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    assert len(chunks) > 2 and {chunk.heading_path for chunk in chunks} == {("Long",)}
    assert all(chunk.text.startswith("Every") and chunk.text.endswith("words.") for chunk in chunks)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))


def test_the_chunks_that_are_scored_have_the_words_of_the_question() -> None:
    texts = [f"This part of the text is about subject {n} and a number of other things. " * 5 for n in range(12)]
    sections = [ArticleSection((f"Part {n}",), text) for n, text in enumerate(texts)]
    chunks = split_chunks("Title", sections, count_tokens=lambda text: len(text.split()), max_tokens=200)
    assert [chunk.heading_path for chunk in select_for_scoring(chunks, "What is subject 11?", "en", 2)] == [
        ("Part 0",),
        ("Part 11",),
    ]


def test_the_source_is_offered_only_where_the_school_allows_it(chatbot: Chatbot, settings: Settings) -> None:
    offered = get_kind("wikipedia_live").source_for
    assert offered is not None and offered(chatbot) is None
    rules = ReferenceSettings.objects.create(school=chatbot.school, allows_wikipedia_live=True)
    source = offered(chatbot)
    assert isinstance(source, LiveSource) and not source.is_indexed and not source.is_empty()
    assert source.deadline_ms == settings.LECTERN_LIVE_DEADLINE_MS
    settings.LECTERN_OFFLINE = True
    assert offered(chatbot) is None
    settings.LECTERN_OFFLINE = False
    rules.allows_outside_calls = False
    rules.save()
    assert offered(chatbot) is None


def test_one_page_is_a_source_like_any_other() -> None:
    source = LivePage(get_wiki("wikipedia", "en"), "Volcano", "en", Permit())
    assert (source.is_indexed, source.is_empty(), source.kind) == (False, False, get_kind("wikipedia_live"))
