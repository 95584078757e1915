"""What a question asks for, in four languages."""

from time import process_time

import pytest

from text.question_types import (
    AnswerType,
    asks_for_meaning,
    expected_answer,
    find_classified,
    find_explained,
    find_list_request,
    is_pronoun,
    is_settled_by_a_span,
    may_be_verb,
    split_questions,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did the war end?", "date"),
        ("In what year was it built?", "date"),
        ("How many people came?", "number"),
        ("Who wrote it, and when?", "name"),
        ("Where is the library?", "name"),
        ("Why is the sky blue?", "reason"),
        ("how do you calculate a moment", "formula"),
        ("What’s the formula for density?", "formula"),
        ("What do I do, and when?", "date"),
        ("Wann beginnt der Unterricht?", "date"),
        ("Wie lange dauert die Pause?", "number"),
        ("Wer hat Amerika entdeckt?", "name"),
        ("Was ist Licht?", ""),
        ("What is the SI unit of work?", "unit"),
        ("In what unit is pressure measured?", "unit"),
        ("Quelle est l’unité de l’énergie ?", "unit"),
        ("When does the unit on acids end?", "date"),
        ("Which unit covers acids?", ""),
        ("True or false: it was in 1845.", ""),
        ("Quand commence l’école ?", "date"),
        ("Combien coûte le repas ?", "number"),
        ("Où est la bibliothèque ?", "name"),
        ("Qui a écrit ce livre ?", "name"),
        ("Le livre qui est là, pourquoi ?", "reason"),
        ("¿Cuándo empieza la clase?", "date"),
        ("¿Cuántos alumnos hay?", "number"),
        ("¿Quién escribió el libro?", "name"),
    ],
)
def test_question_words_tell_what_is_asked_for(question: str, kind: AnswerType) -> None:
    assert expected_answer(question).type == kind


@pytest.mark.parametrize(
    ("question", "language", "has", "has_not"),
    [
        ("When did the war end?", "en", "It ended on 3 May.", "It ended soon."),
        ("What happened in 1845, and when?", "en", "It was in 1846.", "It was in 1845."),
        ("How many came?", "en", "Some fifteen came, 15 in all.", "Many came."),
        ("Who wrote it?", "en", "It was written by Ada Hale.", "The book was written here."),
        (
            "What city did Ada Hale live in?",
            "en",
            "For long Ada Hale lived in Bath.",
            "For long Ada Hale lived.",
        ),
        ("How do I calculate it?", "en", "Moment = force × distance.", "The moment is large."),
        ("Wer leitet die Schule?", "de", "Das macht Frau Wieland.", "Die Schule hat eine Leitung."),
        ("À quelle heure ?", "fr", "On commence à 8h15.", "On commence tôt."),
        ("¿Cuántos son?", "es", "Son veinte.", "Son bastantes."),
    ],
)
def test_a_sentence_has_what_is_asked_for_or_not(question: str, language: str, has: str, has_not: str) -> None:
    assert expected_answer(question).is_in(has, language)
    assert not expected_answer(question).is_in(has_not, language)


@pytest.mark.parametrize(
    ("question", "settled"),
    [
        ("When did the lock open?", True),
        ("what can i use instead of acid", True),
        ("who's the engineer", True),
        ("May pupils open the lock?", False),
        ("my phone is broken, can I use the office phone?", False),
        ("What is the difference between a lock and a weir?", False),
        ("lock opening times", False),
        ("How strong may the acid be?", False),
        ("Where is football played / And in winter", False),
        ("is it ok to run", False),
        ("why is the lock deep?", False),
        ("How do you work out the speed?", False),
        ("How deep is the lock?", True),
    ],
)
def test_a_few_words_settle_a_question_word_but_not_yes_or_no_or_a_comparison(question: str, settled: bool) -> None:
    assert is_settled_by_a_span(question) is settled


@pytest.mark.parametrize(
    ("question", "lists"),
    [
        ("list all the energy stores", True),
        ("What are the stops on the walk?", True),
        ("Nenne die Schritte", True),
        ("Quelles sont les étapes ?", True),
        ("Enumera los pasos", True),
        ("What is a stop?", False),
        ("Who listens?", False),
        ("What is the reading list?", False),
        ("What are the units of power?", False),
        ("Make a list of books", True),
        ("Which books have three stars?", True),
        ("types of collisions", True),
        ("three laws of motion", True),
        ("What type of collision is it?", False),
        ("Does it last three days?", False),
        ("Welche Arten von Stößen gibt es?", True),
        ("Welche Art von Stoß ist es?", False),
        ("Les types de chocs", True),
        ("¿Qué tipos de choques hay?", True),
    ],
)
def test_questions_for_several_things(question: str, lists: bool) -> None:
    assert bool(find_list_request(question)) is lists


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Where is it? When does it open?", ["Where is it?", "When does it open?"]),
        ("Who sits there? Why?", ["Who sits there? Why?"]),
        ("Where is the walk, and when does school end?", ["Where is the walk", "when does school end?"]),
        ("Wo ist der Hof und wann beginnt der Unterricht?", ["Wo ist der Hof", "wann beginnt der Unterricht?"]),
        ("When was it built and how long did it take?", ["When was it built and how long did it take?"]),
        ("Who sits there and why?", ["Who sits there and why?"]),
        ("Photosynthesis", ["Photosynthesis"]),
    ],
)
def test_questions_that_are_asked_at_once(question: str, parts: list[str]) -> None:
    assert split_questions(question) == parts


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is a lever?", True),
        ("Define kinetic energy.", True),
        ("How is work defined?", True),
        ("What does velocity mean?", True),
        ("Was bedeutet Reibung?", True),
        ("Qu’est-ce que la vitesse ?", True),
        ("¿Qué es la inercia?", True),
        ("What is Newton’s first law?", False),
        ("What is the pH of bleach?", False),
        ("What is stored in S7?", False),
        ("What does LS-11 say?", False),
        ("Was versteht man unter einem Hebel?", True),
        ("C’est quoi l’inertie ?", True),
        ("Un levier, c'est quoi ?", True),
        ("¿Qué se entiende por inercia?", True),
        ("C’est quoi ?", False),
    ],
)
def test_questions_for_what_a_thing_is(question: str, asks: bool) -> None:
    assert asks_for_meaning(question) is asks


def test_a_question_of_any_length_is_soon_no_question_for_a_meaning() -> None:
    begins = process_time()
    assert not asks_for_meaning(f"What is ab{'-’' * 10_000} ,x")
    assert process_time() - begins < 1


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Is momentum a vector?", "momentum"),
        ("True or false: the kinetic energy is a scalar.", "kinetic energy"),
        ("Ist der Impuls ein Vektor?", "Impuls"),
        ("La vitesse est-elle un vecteur ?", "vitesse"),
        ("Vrai ou faux : la vitesse est un vecteur", "vitesse"),
        ("¿Es la velocidad un vector?", "velocidad"),
        ("Is it a vector?", ""),
        ("Is kinetic energy conserved?", ""),
    ],
)
def test_questions_whether_a_thing_is_one_of_a_kind(question: str, thing: str) -> None:
    assert find_classified(question) == thing


@pytest.mark.parametrize(
    ("sentence", "explained"),
    [
        ("Brakes get hot because they rub.", ["Brakes get hot "]),
        ("Because they rub, brakes get hot.", ["Because they rub, brakes get hot."]),
        ("Rubbing causes a loss.", [" a loss."]),
        ("Brakes rub, so they get hot.", ["Brakes rub, so they get hot."]),
        ("Bremsen werden heiß, weil sie reiben.", ["Bremsen werden heiß, "]),
        ("Salz löst sich, sodass Eis schmilzt.", [" Eis schmilzt."]),
        ("Brakes get hot.", []),
    ],
)
def test_what_a_sentence_gives_reasons_for(sentence: str, explained: list[str]) -> None:
    assert find_explained(sentence) == explained


@pytest.mark.parametrize(
    ("word", "language", "is_verb"),
    [
        ("tells", "en", True),
        ("is", "en", True),
        ("part", "en", False),
        ("beschreibt", "de", True),
        ("Haus", "de", False),
    ],
)
def test_what_may_be_a_verb(word: str, language: str, is_verb: bool) -> None:
    assert may_be_verb(word, language) is is_verb


@pytest.mark.parametrize("word", ["we", "they", "wir", "nous", "ellos"])
def test_what_is_a_pronoun(word: str) -> None:
    assert is_pronoun(word) and not is_pronoun(f"{word}x")
