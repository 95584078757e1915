"""A language model is tried on packaged questions, and the result is remembered and shown."""

from __future__ import annotations

from collections.abc import Generator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from chatbots.answering.refusals import get_refusal_sentence
from chatbots.model_trial import SAMPLES, find_trial, try_model
from corpus.embedding.active_model import installation
from engines.model_check import describe_model
from engines.reader.trial import samples

KNOWN = {one.answered: one.passage for one in samples()}


class Careful:
    """Quotes the passage that answers, else refuses."""

    name, generative = "Careful", True

    def stream(self, prompt: Any) -> Generator[str, None, str]:
        number = next((one.number for one in prompt.passages if one.text == KNOWN.get(prompt.question)), 0)
        text = KNOWN[prompt.question].partition(". ")[0] if number else ""
        yield f"{text} [{number}]." if number else get_refusal_sentence("en")
        return "stop"


class Looping(Careful):
    """Says the same without end and names no source."""

    name = "Looping"

    def stream(self, prompt: Any) -> Generator[str, None, str]:
        for _ in range(100):
            yield "The answer to this question is quite well known. "
        return "stop"


def test_a_careful_model_fits() -> None:
    lines: list[str] = []
    trial = try_model(Careful(), "careful", None, lines.append)
    assert (trial.right, trial.refused, trial.uncited, trial.loops) == (SAMPLES, SAMPLES, 0, 0)
    assert trial.fits and str(trial).startswith("fits (10 of 10 answers right") and len(lines) == SAMPLES


@pytest.mark.django_db
def test_the_result_is_remembered_for_this_model_and_shown(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LECTERN_LLM_MODEL, settings.LECTERN_LLM_BASE_URL = "tiny", "http://127.0.0.1:9/v1"
    command = "chatbots.management.commands.language_model"
    monkeypatch.setattr(f"{command}.find_model_problem", lambda: "")
    monkeypatch.setattr(f"{command}.get_llm", Looping)
    said = StringIO()
    call_command("language_model", "--brief", stdout=said)
    assert "manage.py language_model tries" in said.getvalue() and find_trial() is None
    call_command("language_model", stdout=said, stderr=StringIO())
    trial = find_trial()
    assert trial and (trial.fits, trial.loops, trial.right) == (False, 2 * SAMPLES, 0)
    again = StringIO()
    call_command("language_model", "--brief", stdout=again)
    assert "tiny at http://127.0.0.1:9/v1 answers; does not fit" in again.getvalue()
    settings.LECTERN_LLM_MODEL = "another"
    assert find_trial() is None


@pytest.mark.django_db
def test_the_result_of_another_version_is_none(settings: Settings) -> None:
    settings.LECTERN_LLM_MODEL, settings.LECTERN_LLM_BASE_URL = "tiny", "http://127.0.0.1:9/v1"
    row = installation()
    row.language_model_trial = {"model": describe_model(), "answers_right": 9}
    row.save()
    assert find_trial() is None
