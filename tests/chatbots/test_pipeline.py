"""The story of an answer with sources in memory and a scripted model: no row, no database."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import pytest
from pytest_django import Settings

from chatbots.answering.draft import (
    AnswerRequest,
    Draft,
    Event,
    Kind,
)
from chatbots.answering.pipeline import SHORTENED, Answer
from chatbots.answering.query_rewriting import Exchange
from chatbots.answering.retrieval import WeightedSource
from corpus.passages import Passage
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source
from engines.embedding.runtime import activate_model
from engines.errors import EngineError, ModelUnavailable
from engines.llm import Prompt
from school_library.sources import SCHOOL
from tests.answering_here import answer_here
from tests.scripted import Finish, ScriptedLLM

Model = type[ScriptedLLM]
REFUSAL = "I cannot answer this from the sources."


@dataclass
class Shelf(Source):
    """A source in memory: every passage is relevant."""

    texts: Sequence[str]
    kind: SourceKind = SCHOOL
    fails: bool = False

    def is_empty(self) -> bool:
        return not self.texts

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        if self.fails:
            raise RuntimeError("This shelf cannot be read.")
        return [self._passage(number, text) for number, text in enumerate(self.texts[:limit])]

    def _passage(self, number: int, text: str) -> Passage:
        return Passage(
            kind=self.kind,
            document_id=UUID(int=number),
            document_title=f"Book {number}",
            version=1,
            heading_path=(),
            page=None,
            lines=None,
            position=number,
            block=number,
            excerpt=text,
            text=text,
            score=1.0,
            relevance=0.9 - number / 100,
        )


ACIDS = Shelf(["Acid of at most 1 mol/l may be used without a demonstration.", "Goggles are worn."])


@pytest.fixture(autouse=True)
def embedder(settings: Settings) -> None:
    activate_model(settings.LECTERN_EMBEDDING_MODEL, settings.LECTERN_EMBEDDING_RUNTIME)


def request(question: str = "How strong may acid be?", *sources: Shelf, **fields: object) -> AnswerRequest:
    weighted = [WeightedSource(source, 50) for source in sources or (ACIDS,)]
    made = AnswerRequest(question, ScriptedLLM(), refuses_with=REFUSAL, sources=weighted)
    return replace(made, **fields)  # type: ignore[arg-type]


def run(asked: AnswerRequest) -> tuple[list[Event], Draft]:
    events = list(answer_here(Answer(lambda: asked)))
    [finished] = [event for event in events if event.kind == Kind.DONE]
    assert finished.draft and finished is events[-1]
    return events, finished.draft


def shown(events: Sequence[Event]) -> str:
    """What a reader has at the end."""
    text = ""
    for event in events:
        match event.kind:
            case Kind.TEXT:
                assert event.offset == len(text)
                text += event.text
            case Kind.DROPPED:
                text = ""
    return text


def test_a_draft_has_all_that_was_made(model: Model) -> None:
    model.enqueue("At most 1 mol/l [1]. Call 555 first [1].")
    events, draft = run(request())
    assert events[0].kind == Kind.SOURCES and events[0].draft
    assert events[0].draft.text == ""
    assert events[0].draft.prompt == draft.prompt == model.history[0]
    assert shown(events) == draft.text == "At most 1 mol/l [1]. Call 555 first [1]."
    assert (draft.mode, draft.model, draft.cited, draft.finish_reason) == (
        "grounded",
        model.name,
        (1,),
        "stop",
    )
    assert draft.verification.support["0"][0] == "supported"
    assert [draft.text[start:end] for start, end in draft.verification.unfounded] == ["555"]
    assert set(draft.timings) == {"embed_ms", "first_token_ms", "read_ms", "search_ms", "total_ms"}
    assert len(draft.sources) == 2
    assert draft.chosen["places"] == 5


def test_the_conversation_and_the_wishes_are_in_the_prompt(model: Model) -> None:
    history = [Exchange("What is acid?", "Sour.")]
    run(request("What about it in year nine?", instructions="Speak like a pirate.", history=history))
    (prompt,) = model.history
    assert "pirate" in prompt.messages[0].content
    assert [turn.content for turn in prompt.messages[1:3]] == ["What is acid?", "Sour."]


def test_without_a_passage_nobody_is_asked(model: Model) -> None:
    events, draft = run(request("Who won?", sources=()))
    assert (draft.mode, draft.text, draft.model, draft.finish_reason) == ("refused", REFUSAL, "", "")
    assert shown(events) == REFUSAL
    assert not model.history


def test_general_knowledge_is_used_where_it_may_be(model: Model) -> None:
    model.enqueue("West Germany.")
    _, draft = run(request("Who won?", sources=(), may_answer_generally=True))
    assert (draft.mode, draft.text, draft.cited) == ("general", "West Germany.", ())


def test_sources_that_fail_are_no_refusal(model: Model) -> None:
    asked = request("Who won?", Shelf(["Text."], fails=True))
    events = answer_here(Answer(lambda: asked))
    found = next(events)
    assert found.kind == Kind.SOURCES and found.draft
    assert found.draft.unavailable == (SCHOOL,)
    with pytest.raises(EngineError, match="could not be searched"):
        next(events)
    assert not model.history


def test_a_wrong_citation_is_asked_for_once_more(model: Model) -> None:
    model.enqueue("Wrong [9].", "Right [1].")
    events, draft = run(request())
    assert [event.prompt for event in events if event.kind == Kind.DROPPED] == [model.history[1]]
    assert (draft.text, draft.notices) == ("Right [1].", ())


def test_a_second_try_that_fails_leaves_the_first(model: Model) -> None:
    model.enqueue("Wrong [9], right [1].", ModelUnavailable("Down."))
    _, draft = run(request())
    assert draft.text == "Wrong, right [1]."
    assert "do not exist" in draft.notices[0]


@pytest.mark.parametrize(
    ("reason", "words"),
    [("length", "length limit"), ("content_filter", "filter"), ("incomplete", "without an end signal")],
)
def test_an_answer_that_did_not_end_by_itself_says_so(model: Model, reason: str, words: str) -> None:
    """And it is not asked for again, whatever it cites."""
    model.enqueue(["[1] [9] Acid of at most", Finish(reason)])
    _, draft = run(request())
    assert (draft.text, draft.finish_reason) == ("[1] Acid of at most", reason)
    assert words in draft.notices[0]
    assert len(model.history) == 1


def test_a_text_is_answered_from_alone(model: Model) -> None:
    model.enqueue("Twice a day [1].")
    text = "The tide comes in twice a day. " * 3
    events, draft = run(request("When does the tide come in?", selection=text))
    assert (draft.mode, draft.text, draft.notices) == ("selection", "Twice a day [1].", ())
    assert "Book 0" not in model.history[0].messages[-1].content
    assert events[0].kind == Kind.SOURCES


def test_a_text_that_does_not_fit_is_shortened_and_that_is_said(model: Model) -> None:
    model.enqueue("Twice a day [1].")
    text = "\n\n".join(f"The tide comes in twice a day at place {n}. {'Water is wet. ' * 40}" for n in range(60))
    _, draft = run(request("When does the tide come in?", selection=text, max_tokens=1500))
    assert draft.notices == (SHORTENED,)


def test_whoever_wants_no_more_closes_it_and_the_model_is_left_alone(model: Model) -> None:
    left: list[bool] = []

    class Leaving(ScriptedLLM):
        def stream(self, prompt: Prompt) -> Generator[str, None, str]:
            try:
                yield from ("one ", "two ", "three")
                return "stop"
            finally:
                left.append(True)

    events = answer_here(Answer(lambda: replace(request(), llm=Leaving())))
    assert [next(events).kind for _ in range(2)] == [Kind.SOURCES, Kind.TEXT]
    events.close()
    assert left == [True]
