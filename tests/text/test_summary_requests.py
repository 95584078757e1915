"""Questions that ask for a summary."""

import pytest

from text.summary_requests import SummaryRequest, summary_request


@pytest.mark.parametrize(
    ("question", "of", "name"),
    [
        ("Summarise the case study", "the case study", "case study"),
        ("Please summarize the chapter on rivers in five sentences.", "the chapter on rivers", "rivers"),
        ("Can you sum up chapter 3?", "chapter 3", "chapter 3"),
        ("main points of the school rules pls", "the school rules", "school rules"),
        ("Give me a short overview of the documents", "the documents", ""),
        ("Fasse das Kapitel über Flüsse kurz zusammen", "das Kapitel über Flüsse", "Flüsse"),
        ("Gib mir eine Zusammenfassung der Unterlagen", "Unterlagen", ""),
        ("Résume le chapitre sur les volcans", "le chapitre sur les volcans", "volcans"),
        ("Fais-moi un résumé du cours", "cours", ""),
        ("Resume el documento", "el documento", ""),
        ("Haz un resumen de la lección 2", "la lección 2", "lección 2"),
    ],
)
def test_orders_for_a_summary(question: str, of: str, name: str) -> None:
    asked = summary_request(question)
    assert asked is not None and asked.is_certain and not asked.refers_back
    assert (asked.of, asked.name) == (of, name)


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("What is the quarrel about?", "the quarrel"),
        ("What does the behaviour policy say?", "the behaviour policy"),
        ("Worum geht es im Vertrag?", "Vertrag"),
        ("De quoi parle ce texte ?", "ce texte"),
        ("¿De qué trata la carta?", "la carta"),
    ],
)
def test_questions_that_may_ask_for_one(question: str, of: str) -> None:
    assert summary_request(question) == SummaryRequest(of, is_certain=False)


@pytest.mark.parametrize(
    "question", ["Summarise it", "Sum this up", "Fasse das zusammen", "Résume ça", "Summary, please"]
)
def test_what_was_said_before(question: str) -> None:
    asked = summary_request(question)
    assert asked is not None and asked.refers_back


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is a summary?",
        "How do I write a summary of a text?",
        "What must a summary have?",
        "Who wrote the overview of the river trade?",
        "The river rose. Summarise the chapter",
        "Summarise " + "this long text " * 30,
    ],
)
def test_other_questions(question: str) -> None:
    assert summary_request(question) is None
