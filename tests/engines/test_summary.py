"""Sentences that stand for the rest of some passages."""

from dataclasses import replace

import pytest

from engines.embedding import get_embedder
from engines.extractive.summary import MOST, summarise
from engines.llm import Prompt
from tests.engines.quoting import FEES, PHOTOSYNTHESIS, answer, prompt, quotations

RIVERS = """Rivers wear away their beds by abrasion, in which stones grind the rock. But that takes long. It is slow in
hard rock. Stones in the water grind the rock of the bed, which is called abrasion. See page 12 for a picture. What does
attrition mean? Stones become rounder because they knock against each other, which is called attrition."""
DELTAS = """A delta grows where a river drops its load in still water. The Nile has a delta. Hand in your drawing of a
delta by Friday."""


def about(*texts: str, topic: str = "", language: str = "en") -> Prompt:
    return replace(prompt(topic, *texts, language=language), asks_for_summary=True)


def chosen(asked: Prompt) -> list[str]:
    return [" ".join(one.text.split()) for one in summarise(asked, get_embedder())]


def test_each_passage_is_quoted_in_order() -> None:
    said = quotations(answer(about(DELTAS, PHOTOSYNTHESIS, RIVERS)))
    assert [number for _, number in said] == sorted(number for _, number in said)
    assert {number for _, number in said} == {1, 2, 3}


def test_each_part_has_its_heading() -> None:
    asked = about(DELTAS, RIVERS)
    parts = [
        replace(one, heading_path=("Rivers", name))
        for one, name in zip(asked.passages, ("Deltas", "Beds"), strict=True)
    ]
    written = answer(replace(asked, passages=tuple(parts)))
    assert written.startswith("**Deltas** “") and "\n\n**Beds** “" in written
    assert "**" not in answer(replace(asked, passages=tuple(replace(one, heading_path=("Rivers",)) for one in parts)))


def test_dates_and_numbers_stand_for_less() -> None:
    card = (
        "Class 9R, 26 pupils, room S2, at 11:15 on 22 September 2026. Rivers grind the rock of their beds with stones."
    )
    assert chosen(about(card))[0].startswith("Rivers grind") or len(chosen(about(card))) == 2


def test_what_is_said_twice_is_quoted_once() -> None:
    assert len([one for one in chosen(about(RIVERS, RIVERS.replace("grind", "scrape"))) if "abrasion" in one]) < 4


def test_sentences_that_cannot_be_read_alone_are_left_out() -> None:
    every = " ".join(chosen(about(RIVERS, DELTAS)))
    for left_out in ("But that", "It is slow", "See page", "What does", "Hand in"):
        assert left_out not in every


def test_whatever_there_is_is_quoted_if_no_sentence_can_be_read_alone() -> None:
    assert chosen(about("It is slow."))
    assert chosen(about(FEES))
    assert summarise(about(""), get_embedder()) == []


def test_a_passage_without_such_sentences_is_left_out() -> None:
    assert {number for _, number in quotations(answer(about(DELTAS, "What is a delta?")))} == {1}


def test_a_topic_draws_its_sentences() -> None:
    lengthy = " ".join(
        f"Sentence number {i} tells something about the weather of the year {1900 + i}." for i in range(40)
    )
    said = chosen(about(f"{lengthy} A delta grows where a river drops its load.", topic="deltas of rivers"))
    assert "A delta grows where a river drops its load." in said
    assert len(said) <= MOST


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_language_that_the_embedder_does_not_know(language: str) -> None:
    text = "تتكون الدلتا عندما يلقي النهر حمولته في مياه هادئة وعميقة. تنحت الأنهار مجاريها عبر آلاف السنين في الصخور."
    assert chosen(about(text, language=language))
