"""Which questions lean on what came before, and what is searched for then (H8). No database."""

import pytest

from chatbots.answering.query_rewriting import (
    Exchange,
    choose_quote_query,
    combine_with_history,
    has_only_question_words,
    is_context_dependent,
)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "And in year 10?"),
        ("en", "What about heating?"),
        ("en", "Why?"),
        ("en", "Until when?"),
        ("en", "How are they cleaned?"),
        ("en", "Is there any exception to that?"),
        ("de", "Und im Winter?"),
        ("de", "Was ist mit Zeitschriften?"),
        ("de", "Warum?"),
        ("de", "Wo läuft sie ab?"),
        ("de", "Was kostet das?"),
        ("de", "Was passiert, wenn man dagegen verstößt?"),
        ("fr", "Et en hiver ?"),
        ("fr", "Qu’en est-il des revues ?"),
        ("fr", "Pourquoi ?"),
        ("fr", "Combien coûtent-elles ?"),
        ("fr", "Que signifie cela ?"),
        ("es", "¿Y en invierno?"),
        ("es", "¿Por qué?"),
        ("es", "¿Qué significa eso?"),
        ("es", "¿Dónde se guardan ellos?"),
    ],
)
def test_questions_that_lean(language: str, question: str) -> None:
    assert is_context_dependent(question, language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "When did the railway reach Kelbourne?"),
        ("en", "What is acceleration?"),
        ("en", "How many practicals are there in year 10?"),
        ("de", "Wann hat die Bibliothek geöffnet?"),
        ("de", "Wo lernen Sie Chemie?"),
        ("fr", "Quand la bibliothèque ouvre-t-on ?"),
        ("es", "Le gusta el chocolate a Juan?"),
        ("es", "¿Cuándo abre la biblioteca?"),
        ("es", "¿Qué es la aceleración?"),
    ],
)
def test_questions_that_stand_alone(language: str, question: str) -> None:
    assert not is_context_dependent(question, language)


def test_only_a_bare_question_is_quoted_for_with_the_ones_before_it() -> None:
    assert has_only_question_words("And why?", "en")
    assert choose_quote_query("And why?", "Where is football played / And why", "en").startswith("Where")
    assert choose_quote_query("And in winter?", "Where is football played / And in winter", "en") == "And in winter?"


def test_however_long_the_chain_the_combined_text_stays_short() -> None:
    earlier = [Exchange("x" * 2000, "a", topic="y" * 2000)]
    for _ in range(9):
        text = combine_with_history("And why?", earlier)
        earlier.append(Exchange("And why?", "b", searched_for=text, topic="y" * 2000))
    assert text.startswith("xxx")
    assert text.count("And why") == 1
    assert len(text) < 1000
