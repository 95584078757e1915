"""Which sentences of the sources an answer quotes, and how."""

import re
from dataclasses import replace

import pytest

from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.candidates import find_candidates
from chatbots.quoting.ranking import SentenceRanker
from chatbots.quoting.selection import may_be_no_answer, select_sentences
from engines.embedding import get_embedder
from engines.errors import ModelSilent
from tests.chatbots.quoting import FEES, HANDBOOK, PHOTOSYNTHESIS, answer, prompt, quotations
from tests.engines.models import High
from text.question_types import find_comparison


def test_a_question_in_a_source_is_quoted_with_its_answer_or_not_at_all() -> None:
    faq = "**When does the library open?**\n\nAt eight. It closes at four.\n\nWhen does the library shut on Fridays?"
    best = select_sentences(prompt("When does the library open?", faq), get_embedder())
    assert best[0].text == "**When does the library open?**\n\nAt eight."
    assert not any("Fridays" in found.text for found in best)
    exercises = "1. What is acceleration?\n2. What is speed?"
    assert (
        select_sentences(prompt("What is acceleration?", exercises), get_embedder())[0].text == "What is acceleration?"
    )


def test_what_an_exercise_offers_to_choose_from_is_not_quoted() -> None:
    exercise = "- Acceleration is a speed.\n- Acceleration is a rate of change of velocity.\n- Acceleration is a force."
    text = f"What is acceleration?\n\n{exercise}\n\nIt is a vector: a change of velocity over time.\n\n- Units: m/s²"
    quoted = [found.text for found in select_sentences(prompt("What is acceleration?", text), get_embedder())]
    assert quoted == ["It is a vector: a change of velocity over time.", "Units: m/s²"]
    for heading in ("### What must I bring?", "**What must I bring?**"):
        text = f"{heading}\n\n- A lab coat.\n- Safety goggles."
        quoted = [words for words, _ in quotations(answer(prompt("What must I bring?", text)))]
        assert sorted(quoted) == ["A lab coat.", "Safety goggles."]


def test_a_single_word_is_no_sentence() -> None:
    best = select_sentences(prompt("What is acceleration?", "- Acceleration\n- A change of velocity"), get_embedder())
    assert [found.text for found in best] == ["A change of velocity"]


def test_the_same_sentence_in_two_sources_is_quoted_once() -> None:
    found = quotations(answer(prompt("Where does photosynthesis happen?", PHOTOSYNTHESIS, PHOTOSYNTHESIS)))
    assert {number for _, number in found} == {1}


@pytest.mark.parametrize(
    "question",
    [
        "How long does the library lend books? And what about the phones???",
        "Where are the phones during lessons? How long may I keep a book of the library?",
        "Where are the phones during lessons, and how long may I keep a book of the library?",
    ],
)
def test_each_of_several_questions_has_its_best_sentence(question: str) -> None:
    best = select_sentences(prompt(question, PHOTOSYNTHESIS, HANDBOOK), get_embedder())
    assert {found.text for found in best[:2]} == {
        "Phones stay in the lockers during lessons.",
        "The library lends books for three weeks.",
    }
    assert 2 <= len(best) <= 4


def test_the_same_question_twice_quotes_nothing_twice() -> None:
    once = select_sentences(prompt("Where are the phones?", HANDBOOK), get_embedder())
    twice = select_sentences(prompt("Where are the phones? Where are the phones?", HANDBOOK), get_embedder())
    assert [found.text for found in twice] == [found.text for found in once]


def test_footnotes_of_a_source_do_not_become_citations() -> None:
    text = "Newton [2] wrote the Principia[3] in 1687. See `a[1]` and [4](x.html) there."
    written = answer(prompt("When did Newton write the Principia?", text))
    assert r"Newton \[2] wrote the Principia\[3] in 1687." in written
    assert "`a[1]` and [4](x.html)" in written
    assert re.findall(r"(?<!\\)\[(\d)\](?!\()", written.replace("`a[1]`", "")) == ["1"] * len(quotations(written))


def test_footnotes_behind_quoted_words_do_not_become_citations_either() -> None:
    text = "Newton said that “light is made of rays” [1–3], and proved it in 1672 [4-6]."
    written = answer(prompt("What did Newton say about light?", text))
    assert r"rays” \[1–3], and proved it in 1672 \[4-6]." in written


def test_half_of_a_bold_passage_is_quoted_without_its_stars() -> None:
    text = "**Careful. Acid burns in seconds. Wear goggles.**\n\nTea is hot."
    written = answer(prompt("How fast does acid burn?", text))
    assert "Acid burns in seconds." in written
    assert "**" not in written


SPEED = """Speed is the distance covered in each unit of time. A car needs speed to overtake.

Velocity is speed in a given direction. The speed of a wave is its frequency times its wavelength:

$v = f λ$

The tendency of an object to keep its velocity is called *inertia*. Passengers feel inertia when a bus brakes."""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is speed?", "Speed is the distance covered in each unit of time."),
        ("What is inertia?", "The tendency of an object to keep its velocity is called *inertia*."),
        ("What does velocity mean?", "Velocity is speed in a given direction."),
    ],
)
def test_a_sentence_that_says_what_a_thing_is_comes_first(question: str, first: str) -> None:
    assert select_sentences(prompt(question, SPEED), get_embedder())[0].text == first


@pytest.mark.parametrize(
    ("language", "question", "text", "first", "second"),
    [
        (
            "en",
            "What is the difference between speed and velocity?",
            "You now see the difference between speed and velocity. Speed is the rate at which a thing moves.\n\n"
            "Velocity is the rate and the direction of a motion. Many people confuse speed and velocity.",
            "Speed is the rate",
            "Velocity is the rate",
        ),
        (
            "de",
            "Was ist der Unterschied zwischen Masse und Gewicht?",
            "Oft wird der Unterschied zwischen Masse und Gewicht vergessen. Die Masse ist die Menge an Stoff in einem "
            "Körper.\n\nDas Gewicht ist die Kraft, mit der die Erde ihn anzieht.",
            "Die Masse ist",
            "Das Gewicht ist",
        ),
    ],
)
def test_a_comparison_is_answered_by_what_each_part_is(
    language: str, question: str, text: str, first: str, second: str
) -> None:
    written = answer(prompt(question, text, language=language))
    assert sorted((written.index(first), written.index(second)))[0] < 3, written


def test_what_only_speaks_of_a_difference_comes_after_what_each_part_is() -> None:
    speaks = "Hopefully you now understand the conceptual difference between distance and displacement."
    tells = "Distance is the length of a path."
    asked = prompt("What is the difference between distance and displacement?", f"{speaks}\n\n{tells}")
    assert select_sentences(asked, get_embedder())[0].text == tells


def test_the_word_that_asks_for_a_comparison_is_not_compared() -> None:
    speaks = "In the same way, speed can be different than the magnitude of velocity."
    tells = "Velocity describes the speed and direction of an object."
    asked = prompt("What is the difference between speed and velocity?", f"{speaks}\n\n{tells}")
    assert select_sentences(asked, get_embedder())[0].text == tells


def test_axes_of_a_graph_are_not_compared() -> None:
    assert find_comparison("Speed vs. velocity") == "vs"
    assert not find_comparison("What does the slope of a velocity vs. time graph mean?")


def test_a_word_that_the_compared_share_is_not_compared() -> None:
    text = "Energy is the ability to do work. Kinetic energy is the energy of motion. Potential energy is stored."
    chosen = select_sentences(prompt("Compare kinetic energy and potential energy.", text), get_embedder())
    assert "Energy is the ability to do work." not in [one.text for one in chosen[:2]]


@pytest.mark.parametrize("question", ["???", "😀", "Compare."])
def test_a_question_that_names_nothing_is_answered_all_the_same(question: str) -> None:
    assert select_sentences(prompt(question, "Energy is the ability to do work."), get_embedder())


def test_a_line_that_announces_a_formula_is_quoted_with_it() -> None:
    first, _ = quotations(answer(prompt("How do I calculate the speed of a wave?", SPEED)))[0]
    assert first == "The speed of a wave is its frequency times its wavelength: $v = f λ$"


@pytest.mark.parametrize(
    ("language", "question", "text", "expected"),
    [
        (
            "en",
            "When was the bridge built?",
            "The bridge was built of stone. The bridge was built in 1843.",
            "1843",
        ),
        (
            "en",
            "Who built the bridge?",
            "The bridge was built of stone. The bridge was built by Ada Hale.",
            "Ada Hale",
        ),
        (
            "de",
            "Wann wurde die Brücke gebaut?",
            "Die Brücke wurde aus Stein gebaut. Die Brücke wurde 1843 gebaut.",
            "1843",
        ),
        ("fr", "Combien de ponts y a-t-il ?", "Il y a des ponts en pierre. Il y a trois ponts.", "trois"),
        (
            "es",
            "¿Cuándo se hizo el puente?",
            "El puente se hizo de piedra. El puente se hizo en mayo.",
            "mayo",
        ),
    ],
)
def test_what_a_question_asks_for_is_preferred(language: str, question: str, text: str, expected: str) -> None:
    assert expected in select_sentences(prompt(question, text, language=language), get_embedder())[0].text


def test_the_best_sentence_begins_the_answer_and_what_follows_it_goes_along() -> None:
    text = "The archive opens late. The river rose eleven feet in the flood of 1795. It carried away the bridge."
    first, _ = quotations(answer(prompt("How high did the river rise in the flood of 1795?", text)))[0]
    assert first.startswith("The river rose eleven feet in the flood of 1795.")


def test_a_best_sentence_that_begins_with_a_pronoun_brings_the_one_before_it() -> None:
    text = "Tea is hot. The mill belonged to Silas Vance. He sold it for ninety pounds. Rain fell all day."
    first, _ = quotations(answer(prompt("For how many pounds was the mill sold?", text)))[0]
    assert first == "The mill belonged to Silas Vance. He sold it for ninety pounds."


def test_the_surer_one_of_two_passages_that_say_the_same_is_quoted_first() -> None:
    texts = ("Homework is due on Monday morning.", "Homework is due on Tuesday morning.")
    for sure in (0, 1):
        passages = [
            NumberedPassage(n + 1, "Rules", (), text, text, relevance=0.9 if n == sure else 0.6)
            for n, text in enumerate(texts)
        ]
        best = select_sentences(AnswerPrompt((), "When is homework due?", tuple(passages)), get_embedder())
        assert best[0].text == texts[sure]


def test_vectors_of_another_scale_choose_the_same_sentences() -> None:
    asked = prompt("For how long can I borrow a novel?", HANDBOOK, PHOTOSYNTHESIS)
    usual, high = (select_sentences(asked, embedder) for embedder in (get_embedder(), High(get_embedder())))
    assert [one.text for one in high] == [one.text for one in usual]


def test_the_same_question_gets_the_same_answer() -> None:
    asked = prompt("What happens to late work?", HANDBOOK, PHOTOSYNTHESIS, FEES)
    assert answer(asked) == answer(asked)


def test_without_passages_nothing_is_written_and_without_sentences_it_is_said() -> None:
    assert answer(prompt("Anything?")) == ""
    with pytest.raises(ModelSilent, match="no sentence"):
        answer(prompt("Anything?", "# Heading\n\n---\n"))


def test_quotations_without_what_is_asked_for_say_so() -> None:
    text = "The lock was made by an engineer. It took years of work, and the bill was paid in silver."
    assert answer(prompt("Who made the lock?", text)).startswith("*No passage surely")
    assert answer(prompt("When was the lock made?", text)).startswith("*No passage surely")
    assert answer(prompt("Who made the lock?", text.replace("an engineer", "Elias Corbet"))).startswith("“The lock")
    rows = "Words of the river:\n\n| Word | Meaning |\n|---|---|\n| Lock | a chamber for boats |\n| Weir | a low dam |"
    assert answer(prompt("Who made the lock?", rows)).startswith("*No passage surely")


PRESSURE = "Pressure is the force on each unit of area.\n\nThe unit is the pascal. Forces act on objects."


@pytest.mark.parametrize(
    ("language", "question", "sure", "unsure"),
    [
        (
            "en",
            "What is an indicator?",
            "An indicator is a dye that shows acids.",
            "In lesson 2 they made an indicator of cabbage.",
        ),
        ("en", "What is resistance?", "Resistance tells how hard it is for current to pass.", "It has no resistance."),
        ("en", "What does IMA mean?", "In general, the IMA = load / effort.", "Each lever has an IMA."),
        (
            "de",
            "Was ist ein Indikator?",
            "Ein Indikator ist ein Farbstoff, der Säuren zeigt.",
            "Die Klasse stellte einen Indikator aus Rotkohl her.",
        ),
        (
            "fr",
            "Qu’est-ce qu’un indicateur ?",
            "Un indicateur est un colorant qui montre les acides.",
            "La classe a fait un indicateur avec du chou.",
        ),
        (
            "es",
            "¿Qué es un indicador?",
            "Un indicador es un colorante que muestra los ácidos.",
            "La clase hizo un indicador con col.",
        ),
        ("en", "What is the unit of pressure?", PRESSURE, "Pressure grows with depth."),
        ("en", "What is the unit of force?", "Forces are measured in newtons (N).", PRESSURE),
        ("de", "Was ist die Einheit der Kraft?", "Die Kraft wird in Newton gemessen.", "Kraft hat eine Richtung."),
        ("fr", "Quelle est l’unité de la force ?", "La force est mesurée en newtons.", "La force a un sens."),
        ("es", "¿Cuál es la unidad de la fuerza?", "La fuerza se mide en newtons.", "La fuerza tiene sentido."),
        ("en", "What is the basic unit of life?", "The cell is the basic unit of life.", "Life has a unit each."),
        ("en", "What is the unit of force?", "We measure force in newtons.", "We measure force in the laboratory."),
        ("de", "Was ist die Einheit der Kraft?", "Das Newton ist die Einheit der Kraft.", "Kraft ist keine Arbeit."),
        ("de", "Welche Einheit hat die Kraft?", "Man misst die Kraft in Newton.", "Man misst die Kraft oft."),
        ("fr", "Quelle est l’unité de la force ?", "La force se mesure en newtons.", "La force se voit en classe."),
        ("es", "¿Cuál es la unidad de la fuerza?", "La fuerza se expresa en newtons.", "La fuerza está en todo."),
        ("en", "Why do we wear goggles?", "We wear goggles because acid hurts.", "We wear goggles in the laboratory."),
        ("de", "Warum tragen wir Brillen?", "Wir tragen Brillen, weil Säure ätzt.", "Wir tragen Brillen im Labor."),
        ("en", "Why do we wear goggles?", "We wear goggles to protect our eyes.", "We went to see goggles."),
        ("de", "Warum tragen wir Brillen?", "Brillen schützen die Augen.", "Wir tragen Brillen um 8 Uhr."),
        (
            "fr",
            "Pourquoi des lunettes ?",
            "Les lunettes sont là pour les protéger.",
            "Les lunettes sont pour notre école.",
        ),
        ("es", "¿Por qué llevamos gafas?", "Llevamos gafas para proteger los ojos.", "Hay gafas para todos."),
        (
            "en",
            "List the types of machines.",
            "The types of machines are the lever, the wedge, the screw and the pulley.",
            "The types of machines make work easier.",
        ),
        (
            "en",
            "Which books have three stars?",
            "Three books have three stars: Jane Eyre, The Time Machine and Romeo and Juliet.",
            "Books with one star are quick, two stars take patience, three stars stretch.",
        ),
        (
            "en",
            "List the house names.",
            "The house names are Ash, Elm, Oak and Yew.",
            "Pupils mix up names: alkali, alkaline and base.",
        ),
        ("en", "What is forbidden?", "Phones are forbidden in lessons.", "Phones stay in the lockers."),
        ("de", "Was ist verboten?", "Handys sind im Unterricht verboten.", "Handys bleiben im Spind."),
        ("en", "What are the opening hours?", "The opening hours are 8 to 16.", "The opening hours are short."),
        ("en", "Please list the houses.", "The houses are Ash, Elm and Oak.", "The houses are old."),
        ("en", "Name the three houses.", "The houses are Ash, Elm and Oak.", "The houses are old."),
        ("de", "Nenne bitte die Häuser.", "Die Häuser sind Esche, Ulme und Eiche.", "Die Häuser sind alt."),
        ("de", "Nenne die drei Häuser.", "Die Häuser sind Esche, Ulme und Eiche.", "Die Häuser sind alt."),
        ("fr", "Cite les trois maisons.", "Les maisons sont Frêne, Orme et Chêne.", "Les maisons sont vieilles."),
        ("es", "Nombra los tres idiomas.", "Los idiomas son español, francés e inglés.", "Los idiomas son fáciles."),
        (
            "en",
            "types of collisions",
            "There are two types of collisions: elastic and inelastic.",
            "We cover two types of collisions, first in one dimension and then in two dimensions.",
        ),
        (
            "en",
            "three laws of motion",
            "The three laws of motion are inertia, acceleration and reaction.",
            "The laws of motion let us explore three more forces: weight, tension and thrust.",
        ),
        ("de", "Arten von Stößen", "Arten von Stößen: elastische und unelastische.", "Die Arten von Stößen sind alt."),
        ("fr", "types de chocs", "Les types de chocs sont élastique et mou.", "Ces types de chocs sont anciens."),
        ("es", "tipos de choques", "Los tipos de choques son elástico y plástico.", "Los tipos de choques son viejos."),
        ("en", "Why is friction useful?", "Friction is useful since it stops cars.", "Friction causes a useful loss."),
        ("en", "What is a lever?", "A lever is a bar that turns.", "The lever part of a screw is a driver."),
        ("en", "What are levers?", "Levers lift heavy things.", "The lever part of a screw is a driver."),
        ("de", "Was versteht man unter Trägheit?", "Trägheit ist eine Eigenschaft.", "Die Trägheit Haus ist alt."),
        ("fr", "C’est quoi un levier ?", "Un levier est une barre.", "La classe a vu un levier."),
        ("en", "Is mass a vector?", "Mass is a scalar.", "Since a vector has a length, the mass is large, too."),
        ("de", "Ist Masse ein Vektor?", "Masse ist ein Skalar.", "Da der Vektor lang ist, wiegt die Masse viel."),
        ("fr", "Est-ce que la masse est un vecteur ?", "La masse est un scalaire.", "Le vecteur est là, la masse ici."),
        ("es", "¿Es la fuerza un escalar?", "La fuerza es un vector.", "El escalar está aquí, la fuerza allí."),
        ("en", "How do magnets work?", "Magnets work by aligned spins.", "The pull of a magnet is a force."),
        ("en", "True or false: homework is due.", "Homework is due on Monday.", "All of this is true, never false."),
    ],
)
def test_what_is_quoted_must_have_what_is_asked_for(language: str, question: str, sure: str, unsure: str) -> None:
    for text, is_sure in ((sure, True), (unsure, False)):
        asked = prompt(question, text, language=language)
        assert may_be_no_answer(select_sentences(asked, get_embedder()), asked) is not is_sure, text


def test_a_definition_is_sure_whatever_reading_says() -> None:
    for text, is_sure in (("Inertia is a tendency to stay at rest.", True), ("Inertia is shown here.", False)):
        asked = replace(prompt("What is inertia?", text), is_unsure=True)
        assert may_be_no_answer(select_sentences(asked, get_embedder()), asked) is not is_sure, text


@pytest.mark.parametrize(
    ("question", "is_sure"),
    [("¿Qué es una colisión inelástica?", True), ("¿Qué es una colisión elástica?", False), ("¿Qué es un ion?", False)],
)
def test_in_another_language_what_is_defined_must_mean_what_is_asked_for(question: str, is_sure: bool) -> None:
    text = "An inelastic collision is a collision in which energy is lost. In an elastic collision none is."
    asked = replace(prompt(question, text, language="es"), quoted_language="en")
    assert may_be_no_answer(select_sentences(asked, get_embedder()), asked) is not is_sure


@pytest.mark.parametrize("end", ["heat-transfer.", "*heat-transfer*"])
def test_one_word_with_a_hyphen_may_be_all_that_is_asked_for(end: str) -> None:
    asked = prompt("What is heat transfer?", f"It moves by conduction, {end}")
    assert answer(asked)
    (chosen,) = select_sentences(asked, get_embedder())
    ranker = SentenceRanker(asked, [chosen])
    assert ranker.is_about(chosen)


def test_a_question_for_a_kind_is_answered_by_what_a_thing_is() -> None:
    asked = prompt("True or false: momentum is a scalar", "Mass is a scalar, and momentum grows. Momentum is a vector.")
    assert select_sentences(asked, get_embedder())[0].text == "Momentum is a vector."


@pytest.mark.parametrize(
    ("question", "sure"),
    [("Which flame does copper give?", True), ("Why is copper solved?", False), ("What is a copper coin?", False)],
)
def test_a_row_is_sure_by_a_column_that_is_asked_for(question: str, sure: bool) -> None:
    text = "| Metal | Flame |\n|---|---|\n| Copper | blue-green |\n| Lithium | crimson |"
    asked = replace(prompt(question, text), is_unsure=True)
    assert may_be_no_answer(select_sentences(asked, get_embedder()), asked) is not sure


@pytest.mark.parametrize(("language", "begins"), [("en", "No passage surely"), ("de", "Keine Textstelle")])
def test_what_may_be_no_answer_says_so(language: str, begins: str) -> None:
    asked = replace(prompt("Homework?", HANDBOOK, language=language), is_unsure=True)
    assert answer(asked).startswith(f"*{begins}")
    assert begins not in answer(replace(asked, is_unsure=False))


def test_in_another_language_the_meaning_chooses_the_sentence() -> None:
    """Words choose the other one: it has times, which “wann” asks for."""
    eyes = "Safety spectacles are worn from the bell at the start of every practical until the bell at its end."
    hours = "Concerns outside school hours go to safe@riverside.example, which is read every day at 09:00 and 18:00."
    asked = prompt("Wann muss man eine Schutzbrille tragen?", eyes, hours)
    first, second = asked.passages
    asked = replace(asked, passages=(replace(first, relevance=0.85), replace(second, relevance=0.73)))
    assert select_sentences(replace(asked, quoted_language="en"), get_embedder())[0].text == eyes


def test_a_sentence_that_cannot_become_the_best_is_not_embedded() -> None:
    asked = prompt("How long does the library lend books?", PHOTOSYNTHESIS, HANDBOOK)
    found = find_candidates(asked.passages, asked.language)
    ranker = SentenceRanker(asked, found)
    scored = [replace(one, score=ranker.by_words(one)) for one in found]
    ranked = sorted(scored, key=lambda one: -one.score)
    added = ranker.by_vectors(ranked, get_embedder())
    assert len(added) == len(ranked)
    (first, *_), last = added, added[-1]
    assert first > last, "the others count as being far from the question"
    best = max(zip(ranked, added, strict=True), key=lambda pair: pair[0].score + pair[1])[0]
    assert best.text == "The library lends books for three weeks."


SPORTS = [
    NumberedPassage(n, f"Sports day {year}", (), text, text)
    for n, (year, text) in enumerate(
        [
            (2025, "The relay starts at the mill. Each class pays 20 euros for ice cream."),
            (2026, "The relay starts at the bridge. Each class pays 25 euros for ice cream."),
        ],
        start=1,
    )
]


def test_of_two_similar_documents_the_one_that_is_named_is_quoted() -> None:
    asked = AnswerPrompt((), "What does each class pay for ice cream in 2026?", tuple(SPORTS))
    assert {found.passage.number for found in select_sentences(asked, get_embedder())} == {2}


def test_documents_are_named_where_their_sentences_are_alike() -> None:
    written = answer(AnswerPrompt((), "What does each class pay for ice cream?", tuple(SPORTS)))
    assert "**Sports day 2025:** “Each class pays 20 euros for ice cream.” [1]" in written
    assert "**Sports day 2026:** “Each class pays 25 euros for ice cream.” [2]" in written
    assert "**" not in answer(prompt("What does each class pay for ice cream?", SPORTS[0].text, HANDBOOK))


def test_what_is_asked_for_by_its_number_is_quoted_alone() -> None:
    steps = "1. Warm the water.\n2. Stir in the salt.\n3. Filter the sand off.\n4. Let it cool."
    (only,) = select_sentences(prompt("What does step 3 say?", steps), get_embedder())
    assert only.text == "Filter the sand off."
    test = "1  Name a river. [2 marks]\n\n2  Draw a graph. Label it. [8 marks]"
    quoted = [
        found.text for found in select_sentences(prompt("How many marks is question 2 worth?", test), get_embedder())
    ]
    assert quoted[0] == "[8 marks]"
