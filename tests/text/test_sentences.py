"""Cutting text into sentences that can be quoted."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.sentences import sentence_starts, split_sentences


def cut(text: str, language: str = "en") -> list[str]:
    return [text[found.start : found.end] for found in split_sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["Pi is 3.14159.", "It costs 1,200.50 €.", "Really?", "Yes!"]),
        ("en", ["Dr. Smith met J. R. Tolkien, i.e. the author, in the U.S. capital.", "They talked."]),
        ("en", ["See Fig. 3 and No. 5 on p. 7.", "She said no.", "Then she left."]),
        ("en", ["He said, “Stop. Now.”", "Then he left.", "“Why?” she asked.", '"Go. Now!"', "It rained."]),
        ("en", ["It ran (see below. Twice.) until noon…", "It stopped."]),
        ("de", ["Am 3. Mai kommt z. B. Frau Dr. Weiß.", "Sie sagt: „Ruhe. Bitte.“", "Alle hören zu."]),
        ("fr", ["M. Dupont habite à Lyon.", "Il dit : « Venez. Vite. »", "On part."]),
        ("fr", ["Mmes Roy et Blanc, tél. 04 72, habitent av. Foch, env. 3 km plus loin.", "Elles rient."]),
        ("es", ["La Srta. Gil y la Dña. Ana viven en la Avda. Colón, pág. 4.", "Ríen."]),
        ("es", ["El Sr. Ruiz llegó a las 9.30 h.", "¿Quién vino?", "¡Nadie!"]),
        ("zh", ["你好。", "这是什么？", "对。"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(language: str, sentences: list[str]) -> None:
    text = ("" if language == "zh" else " ").join(sentences)
    assert cut(text, language) == sentences


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize(
    "sentence",
    [
        "Die Anmeldung muss bis zum 14. März im Sekretariat abgegeben werden.",
        "Die Schule wird am 3. Oktober und am 1. Mai nicht geöffnet.",
        "Im 19. Jahrhundert ist die Stadt mit der Bahn gewachsen.",
        "Die 2. Klasse und die 10. Klassen gehen mit.",
        "Wir treffen uns am\n1. März und dann bis zum\n14. Mai.",
    ],
)
def test_a_german_ordinal_ends_no_sentence_whatever_the_reader_speaks(sentence: str, language: str) -> None:
    assert cut(f"{sentence} Danach ist frei.", language) == [sentence, "Danach ist frei."]
    assert cut(f"- Zuerst das.\n- {sentence}", language) == ["Zuerst das.", sentence]


@given(
    st.integers(1, 99),
    st.sampled_from(["im", "am", "zum", "vom", "bis", "den", "der", "die", "das"]),
    st.sampled_from(
        [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "Dez.",
            "Jahrhundert",
            "Klasse",
            "Platz",
            "Ära",
        ]
    ),
)
def test_nothing_follows_a_german_number_but_its_noun(day: int, before: str, noun: str) -> None:
    sentence = f"Es ist {before} {day}. {noun} bekannt und wird gefeiert."
    assert cut(sentence, "de") == cut(sentence, "en") == [sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        [
            "Turbines reach 30 °C. ",
            "This is hot. ",
            "So says Rev. Green (max. 6.5 m). ",
            "Jones et al. 1998 agree.",
        ],
        ["Let $x. Y$ be small. ", "See `a. B` and [this. Now](http://a.b/c. D). ", "End."],
        ["1. Count to ten. ", "It opens on page 12. ", "Close it."],
        ["Am 3. Mai kommt z. B. Frau Weiß. ", "Sie sagt: „Ruhe. Bitte.“ ", "Alle hören zu."],
        ["ذهب الولد إلى المدرسة. ", "هل عاد؟ ", "نعم."],
    ],
)
def test_documents_are_cut_as_answers_are(sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = [0, *sentence_starts(text), len(text)]
    assert [text[start:end] for start, end in pairwise(starts)] == sentences
    quotable = [sentence.strip().removeprefix("1. ") for sentence in sentences]
    assert cut(text) == quotable


def test_a_number_ends_an_english_sentence() -> None:
    assert cut("The die is cast in 12. The end of it.") == ["The die is cast in 12.", "The end of it."]
    assert cut("It opens on 14. März is a German word.") == ["It opens on 14. März is a German word."]


@pytest.mark.parametrize("number", ["1.1.", "a.", "iv.", "II."])
def test_the_number_of_a_clause_stays_with_its_sentence(number: str) -> None:
    text = f"- {number} Pupils wear a helmet. It fits."
    assert [text[one.start : one.end] for one in split_sentences(text)] == [
        f"{number} Pupils wear a helmet.",
        "It fits.",
    ]


def test_markdown_is_left_out_around_sentences_and_kept_within() -> None:
    text = """# Rules. All of them

Wear **goggles**. Tie back
your hair.

- Never *eat* here. Never drink.
  Not even water.
* [ ] Wash your hands
1. Count to 10
> Safety first. Always.
> So says the law.

Setext
------
***
Last words"""
    assert cut(text) == [
        "Wear **goggles**.",
        "Tie back\nyour hair.",
        "Never *eat* here.",
        "Never drink.",
        "Not even water.",
        "Wash your hands",
        "Count to 10",
        "Safety first.",
        "Always.",
        "So says the law.",
        "Setext",
        "Last words",
    ]


def test_table_rows_and_lines_of_code_stand_whole() -> None:
    text = "Fees.\n\n| Item | Fee. Now |\n|---|:-:|\n| Locker | 5.00 |\n\n```py\nx = 1.  # One. Two.\n```\nEnd."
    found = split_sentences(text)
    assert [(text[s.start : s.end], s.kind) for s in found] == [
        ("Fees.", "prose"),
        ("| Item | Fee. Now |", "row"),
        ("| Locker | 5.00 |", "row"),
        ("x = 1.  # One. Two.", "row"),
        ("End.", "prose"),
    ]


def test_sentences_of_a_paragraph_share_a_block() -> None:
    found = split_sentences("One. Two.\n\nThree.\n- Four. Five.\n- Six.")
    assert [sentence.block for sentence in found] == [0, 0, 1, 2, 2, 3]
    assert [sentence.kind for sentence in found] == ["prose"] * 3 + ["item"] * 3


@given(st.text(alphabet=st.sampled_from('aZ1.!?…。 \n\t"“”„()|-#>*`·é漢'), max_size=200))
def test_sentences_are_in_order_apart_and_trimmed(text: str) -> None:
    found = split_sentences(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    for sentence in found:
        quoted = text[sentence.start : sentence.end]
        assert quoted == quoted.strip()
        assert any(character.isalnum() for character in quoted)


@pytest.mark.parametrize(
    "odd", [" " * 50_000 + "x", "| " * 20_000 + "x", '"' * 5_000, "(" * 20_000, "- " * 20_000 + "x"]
)
def test_odd_input_takes_no_time(odd: str) -> None:
    assert len(split_sentences(odd)) <= 1


def test_a_heading_of_plain_text_is_no_part_of_the_sentence_below_it() -> None:
    text = "Required practicals\nThere are nine of them in year 10. Each takes an hour."
    text += "\n\nA line that was\nWrapped here."
    found = split_sentences(text)
    assert [(text[one.start : one.end], one.kind) for one in found] == [
        ("Required practicals", "title"),
        ("There are nine of them in year 10.", "prose"),
        ("Each takes an hour.", "prose"),
        ("A line that was\nWrapped here.", "prose"),
    ]
