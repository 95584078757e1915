"""Answers that quote the sources, with the packaged embedder."""

import re

import pytest
from pytest_django import Settings

from engines.embedding import get_embedder
from engines.errors import ModelSilent
from engines.evidence import best_sentences
from engines.extractive import ExtractiveAnswerer
from engines.llm import NumberedPassage, Prompt, get_llm
from tests.engines.models import High

HANDBOOK = """Homework is handed in on paper or through the portal. Work that is one day late loses ten percent of its
points. After five days it is no longer accepted. A doctor's note lifts the penalty.

- Phones stay in the lockers during lessons.
- The library lends books for three weeks."""
PHOTOSYNTHESIS = """Photosynthesis happens in the chloroplasts. The green pigment chlorophyll absorbs mostly red and
blue light. Water is split, and oxygen is set free."""
FEES = """The fees are due in September.

| Item | Price per year |
| --- | --- |
| Locker | 12.50 € |
| Sports kit | 30 € |"""


def prompt(question: str, *texts: str, language: str = "en") -> Prompt:
    """A prompt whose passages are found whole."""
    passages = [NumberedPassage(n, f"Document {n}", (), text, text) for n, text in enumerate(texts, start=1)]
    return Prompt((), question, tuple(passages), language)


def answer(asked: Prompt) -> str:
    return "".join(ExtractiveAnswerer().stream(asked))


def quotations(text: str) -> list[tuple[str, int]]:
    return [(words, int(number)) for words, number in re.findall(r"“(.*?)” \[(\d+)\]", text, re.DOTALL)]


def test_it_is_what_answers_when_no_model_is_configured(settings: Settings) -> None:
    llm = get_llm()
    assert isinstance(llm, ExtractiveAnswerer)
    assert not llm.generative
    assert "no language model" in llm.name


@pytest.mark.parametrize(
    ("question", "expected", "number"),
    [
        ("How many points do I lose when I hand in my work late?", "loses ten percent", 1),
        ("For how long can I borrow a book?", "three weeks", 1),
        ("Which colours of light does chlorophyll absorb?", "red and blue", 2),
        ("Where in the cell does photosynthesis take place?", "chloroplasts", 2),
    ],
)
def test_the_best_sentence_comes_first_with_its_number(question: str, expected: str, number: int) -> None:
    first, cited = quotations(answer(prompt(question, HANDBOOK, PHOTOSYNTHESIS)))[0]
    assert expected in first
    assert cited == number


def test_every_quotation_stands_word_for_word_in_the_passage_it_names() -> None:
    sources = (HANDBOOK, PHOTOSYNTHESIS, FEES)
    found = quotations(answer(prompt("When is late work accepted, and with how many points?", *sources)))
    assert 1 <= len(found) <= 4
    for words, number in found:
        assert words in " ".join(sources[number - 1].split())


def test_neighbours_are_quoted_as_one_and_list_items_without_their_bullets() -> None:
    found = quotations(
        answer(prompt("What happens to late work after one day and after five days?", HANDBOOK))
    )
    assert "loses ten percent of its points. After five days it is no longer accepted." in found[0][0]
    found = quotations(answer(prompt("Where are the phones during lessons?", HANDBOOK)))
    assert found[0][0] == "Phones stay in the lockers during lessons."


def test_it_is_written_piece_by_piece_and_ends_with_an_honest_line() -> None:
    pieces = list(ExtractiveAnswerer().stream(prompt("What happens to late work?", HANDBOOK, PHOTOSYNTHESIS)))
    assert len(pieces) > 4
    assert pieces[-1] == "*No language model is set up here: these are quotations.*"
    assert pieces[-2] == "\n\n"


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "kein Sprachmodell"), ("fr", "Aucun modèle"), ("es", "ningún modelo"), ("it", "No lang")],
)
def test_the_closing_line_speaks_the_readers_language(language: str, words: str) -> None:
    assert words in answer(prompt("Photosynthesis?", PHOTOSYNTHESIS, language=language))


@pytest.mark.parametrize(
    ("language", "question", "text", "expected"),
    [
        (
            "de",
            "Wann gibt es neue Bücher?",
            "Der Hof ist groß. Am 3. Mai gibt es ein neues Buch. Tee ist warm.",
            "3. Mai",
        ),
        (
            "fr",
            "Où sont rangées les clés ?",
            "Le chat dort. La clé est rangée ici. Il pleut. On mange.",
            "La clé",
        ),
        ("ar", "أين المفاتيح", "القط نائم. المفاتيح في الدرج. السماء زرقاء. الشاي ساخن.", "الدرج"),
        ("zh", "图书馆几点关门？", "食堂很大。图书馆晚上八点关门。今天下雨。老师来了。", "八点"),
    ],
)
def test_other_languages_are_found_by_their_words(
    language: str, question: str, text: str, expected: str
) -> None:
    assert expected in best_sentences(prompt(question, text, language=language), get_embedder())[0].text


RULES = {
    (
        "Safety policy",
        "LS-04 Planning",
    ): "Each practical has a form. Equipment is ordered from Mr Price on form LS-R.",
    (
        "Safety policy",
        "LS-05 Heating and gas",
    ): "The gas main is opened by the teacher. Hot glass looks like cold glass.",
    ("Safety policy", "LS-06 Bottles"): "Every bottle carries a name. Reagents are never poured back.",
}


def policy(question: str) -> Prompt:
    """A prompt whose passages are the sections of a policy."""
    found = [
        NumberedPassage(n, path[0], path, text, text) for n, (path, text) in enumerate(RULES.items(), start=1)
    ]
    return Prompt((), question, tuple(found))


@pytest.mark.parametrize("question", ["What does LS-05 say?", "ls-05", "Tell me about LS\u201105"])
def test_a_section_asked_for_by_its_code_is_quoted_from_its_beginning(question: str) -> None:
    best = best_sentences(policy(question), get_embedder())
    assert [found.text for found in best][:2] == [
        "The gas main is opened by the teacher.",
        "Hot glass looks like cold glass.",
    ]


def test_a_heading_speaks_for_the_sentences_below_it() -> None:
    texts = {
        "Sodium": "It is shown outdoors. Stand back.",
        "Thermite": "It is shown in the yard. Stand far back.",
    }
    passages = [
        NumberedPassage(n, "Handbook", ("Handbook", heading), text, text)
        for n, (heading, text) in enumerate(texts.items(), start=1)
    ]
    best = best_sentences(Prompt((), "Where is thermite shown?", tuple(passages)), get_embedder())
    assert best[0].text == "It is shown in the yard."


def test_a_table_row_is_quoted_only_when_nothing_fits_better() -> None:
    best = best_sentences(prompt("What is the price of a sports kit?", FEES, HANDBOOK), get_embedder())
    assert best[0].text == "| Sports kit | 30 € |"
    assert all(found.sentence.kind != "row" for found in best[1:])
    best = best_sentences(prompt("When are the fees due?", FEES, HANDBOOK), get_embedder())
    assert best[0].text == "The fees are due in September."
    assert all(found.sentence.kind != "row" for found in best)


TRIP = """The trip goes to Bath.

The table lists the costs.

| What | Cost in pounds | Paid by |
| :-- | --: | --- |
| Coach hire | 640 | School fund |
| Roman Baths | 312 | Parents |"""


def test_a_row_is_quoted_cell_by_cell_with_the_names_of_its_columns() -> None:
    written = answer(prompt("How much does the coach hire cost and who pays?", HANDBOOK, TRIP))
    assert written.startswith("“Coach hire”: Cost in pounds “640”, Paid by “School fund” [2]")
    assert "“What”" not in written
    heat = "The specific heat capacity of a substance:\n\n"
    heat += "| Substance | J/kg |\n|---|---|\n| Iron | 450 |\n| Copper | 390 |"
    general = "The specific heat capacity is the energy that raises the temperature of 1 kg by 1 °C."
    written = answer(prompt("What is the specific heat capacity of copper?", general, heat))
    assert written.startswith("“Copper”: J/kg “390” [2]")


def test_rows_without_headers_and_empty_cells_are_quoted_too() -> None:
    written = answer(prompt("Where is the nurse?", "| Nurse |  | Room 4 |\n| Caretaker | x | Room 5 |"))
    assert written.startswith("“Nurse”: “Room 4” [1]")


def test_a_question_in_a_source_is_quoted_with_its_answer_or_not_at_all() -> None:
    faq = "**When does the library open?**\n\nAt eight. It closes at four.\n\nWhen does the library shut on Fridays?"
    best = best_sentences(prompt("When does the library open?", faq), get_embedder())
    assert best[0].text == "**When does the library open?**\n\nAt eight."
    assert not any("Fridays" in found.text for found in best)
    exercises = "1. What is acceleration?\n2. What is speed?"
    assert (
        best_sentences(prompt("What is acceleration?", exercises), get_embedder())[0].text
        == "What is acceleration?"
    )


def test_what_an_exercise_offers_to_choose_from_is_not_quoted() -> None:
    exercise = "- Acceleration is a speed.\n- Acceleration is a rate of change of velocity.\n- Acceleration is a force."
    text = f"What is acceleration?\n\n{exercise}\n\nIt is a vector: a change of velocity over time.\n\n- Units: m/s²"
    quoted = [found.text for found in best_sentences(prompt("What is acceleration?", text), get_embedder())]
    assert quoted == ["It is a vector: a change of velocity over time.", "Units: m/s²"]
    for heading in ("### What must I bring?", "**What must I bring?**"):
        text = f"{heading}\n\n- A lab coat.\n- Safety goggles."
        quoted = [found.text for found in best_sentences(prompt("What must I bring?", text), get_embedder())]
        assert sorted(quoted) == ["A lab coat.", "Safety goggles."]


def test_a_single_word_is_no_sentence() -> None:
    best = best_sentences(
        prompt("What is acceleration?", "- Acceleration\n- A change of velocity"), get_embedder()
    )
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
    best = best_sentences(prompt(question, PHOTOSYNTHESIS, HANDBOOK), get_embedder())
    assert {found.text for found in best[:2]} == {
        "Phones stay in the lockers during lessons.",
        "The library lends books for three weeks.",
    }
    assert 2 <= len(best) <= 4


def test_the_same_question_twice_quotes_nothing_twice() -> None:
    once = best_sentences(prompt("Where are the phones?", HANDBOOK), get_embedder())
    twice = best_sentences(prompt("Where are the phones? Where are the phones?", HANDBOOK), get_embedder())
    assert [found.text for found in twice] == [found.text for found in once]


def test_footnotes_of_a_source_do_not_become_citations() -> None:
    text = "Newton [2] wrote the Principia[3] in 1687. See `a[1]` and [4](x.html) there."
    written = answer(prompt("When did Newton write the Principia?", text))
    assert r"Newton \[2] wrote the Principia\[3] in 1687." in written
    assert "`a[1]` and [4](x.html)" in written
    assert re.findall(r"(?<!\\)\[(\d)\](?!\()", written.replace("`a[1]`", "")) == ["1"] * len(
        quotations(written)
    )


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
    assert best_sentences(prompt(question, SPEED), get_embedder())[0].text == first


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
def test_what_a_question_asks_for_is_preferred(
    language: str, question: str, text: str, expected: str
) -> None:
    assert expected in best_sentences(prompt(question, text, language=language), get_embedder())[0].text


BAG = """The school opens at eight.

Every pupil brings to lessons:

- two black pens
- a ruler of 30 cm
- a reading book

Phones stay at home."""


def test_a_list_is_quoted_as_a_whole_with_the_line_before_it() -> None:
    written = answer(prompt("What must every pupil bring to lessons?", PHOTOSYNTHESIS, BAG))
    listed = "- “two black pens” [2]\n- “a ruler of 30 cm” [2]\n- “a reading book” [2]\n\n"
    assert written.startswith("“Every pupil brings to lessons:” [2]\n\n" + listed)


def test_of_a_list_that_is_not_asked_for_as_a_whole_one_item_is_quoted_with_the_line_before_it() -> None:
    written = answer(prompt("How long must the ruler be?", PHOTOSYNTHESIS, BAG))
    assert written.startswith("“Every pupil brings to lessons:” [2] “a ruler of 30 cm” [2]")
    assert "reading book" not in written


def test_of_a_long_list_eight_entries_are_quoted() -> None:
    text = "Every pupil brings to lessons:\n\n" + "\n".join(f"- object number {n}" for n in range(1, 12))
    written = answer(prompt("What must every pupil bring to lessons?", text))
    assert "- “object number 8” [1]\n- …\n" in written
    assert "number 9" not in written


ACIDS = """Names and kinds.

| Name | Kind | Salts |
| --- | --- | --- |
| Hydrochloric acid | strong acid | chlorides |
| Ethanoic acid | weak acid | ethanoates |
| Carbonic acid | weak acid | – |"""


def test_every_row_that_has_what_was_asked_for_is_quoted() -> None:
    written = answer(prompt("Which acids are weak?", HANDBOOK, ACIDS))
    rows = "- “Ethanoic acid”: Kind “weak acid”, Salts “ethanoates” [2]\n- “Carbonic acid”: Kind “weak acid” [2]\n"
    assert written.startswith(rows)
    assert "strong" not in written


def test_the_best_sentence_begins_the_answer_and_what_follows_it_goes_along() -> None:
    text = (
        "The archive opens late. The river rose eleven feet in the flood of 1795. It carried away the bridge."
    )
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
        best = best_sentences(Prompt((), "When is homework due?", tuple(passages)), get_embedder())
        assert best[0].text == texts[sure]


def test_vectors_of_another_scale_choose_the_same_sentences() -> None:
    asked = prompt("For how long can I borrow a novel?", HANDBOOK, PHOTOSYNTHESIS)
    usual, high = (best_sentences(asked, embedder) for embedder in (get_embedder(), High(get_embedder())))
    assert [one.text for one in high] == [one.text for one in usual]


def test_what_lies_within_the_found_excerpt_is_preferred() -> None:
    early, late = "The rule changed in 2019.", "The rule changed in 2020."
    for excerpt in (early, late):
        passage = NumberedPassage(1, "Rules", (), f"{early}\n\nSomething else.\n\n{late}", excerpt)
        asked = Prompt((), "When did the rule change?", (passage,))
        assert best_sentences(asked, get_embedder())[0].text == excerpt


def test_the_same_question_gets_the_same_answer() -> None:
    asked = prompt("What happens to late work?", HANDBOOK, PHOTOSYNTHESIS, FEES)
    assert answer(asked) == answer(asked)


def test_without_passages_nothing_is_written_and_without_sentences_it_is_said() -> None:
    assert answer(prompt("Anything?")) == ""
    with pytest.raises(ModelSilent, match="no sentence"):
        answer(prompt("Anything?", "# Heading\n\n---\n"))
