"""The model that other tests script: it must do as it is told."""

import threading
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from chatbots.passages import AnswerPrompt, NumberedPassage
from engines.errors import ModelUnavailable
from engines.llm import get_llm
from tests.scripted import ScriptedLLM

PROMPT = AnswerPrompt((), "Why?", (NumberedPassage(1, "Notes", (), "All of it.", "A part."),))


@pytest.fixture(autouse=True)
def scripted(settings: Settings) -> Iterator[None]:
    """Answer by script."""
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    yield
    ScriptedLLM.reset()


def test_answers_come_in_turn_and_then_by_default() -> None:
    ScriptedLLM.enqueue("First [1].", ["se", 0.01, "cond"])
    assert get_llm() is get_llm()
    assert ["".join(get_llm().stream(PROMPT)) for _ in range(3)] == [
        "First [1].",
        "second",
        "The source says: “A part.” [1]",
    ]
    assert ScriptedLLM.history == [PROMPT] * 3


def test_an_answer_can_be_held_and_broken_off() -> None:
    go_on = threading.Event()
    ScriptedLLM.enqueue(["one", go_on, "two", ModelUnavailable("down")])
    stream = get_llm().stream(PROMPT)
    assert next(stream) == "one"
    threading.Timer(0.05, go_on.set).start()
    assert next(stream) == "two"
    assert go_on.is_set()
    with pytest.raises(ModelUnavailable):
        next(stream)
