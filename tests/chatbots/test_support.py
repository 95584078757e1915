"""Whether what an answer says stands in the passages it cites for it."""

import pytest

from chatbots.citations.claim_verification import MAX_CLAIMS, ClaimCheck, Support, find_unsupported, verify_claims
from chatbots.citations.claims import extract_uncited_claims
from chatbots.passages import NumberedPassage

ACIDS = (
    "For year 9 the hydrochloric acid is kept at 0.5 mol/l, half of what the laboratory policy would allow. "
    "Goggles go on before the first bottle is opened. Splashes on skin are rinsed at once."
)
TRIP = (
    "The museum trip leaves at half past eight from the north gate. Each pupil pays 12 euros for the bus. "
    "Packed lunches are eaten in the park beside the museum."
)
LIBRARY = "The library opens at eight. Books are lent for three weeks, and a lost book costs its price."
PASSAGES = [NumberedPassage(n, "", (), text, text) for n, text in enumerate((ACIDS, TRIP, LIBRARY), start=1)]


def states(text: str, *, language: str = "en") -> list[tuple[int, str]]:
    found = verify_claims(text, PASSAGES, language=language)
    return [(verdict.number, verdict.state.value) for verdict in found.values()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Goggles go on before the first bottle is opened [1].", Support.SUPPORTED),
        ("“Splashes on skin are rinsed at once.” [1]", Support.SUPPORTED),
        ("In year 9 the acid has 0.5 mol/l, half of what the policy would allow [1].", Support.SUPPORTED),
        ("For the bus, pupils pay 12 euros each [2].", Support.SUPPORTED),
        ("For the bus, pupils pay 12 euros each [1].", Support.NOT_FOUND),
        ("The museum trip leaves from the north gate at half past eight [3].", Support.NOT_FOUND),
        ("Books are lent for three weeks [1].", Support.NOT_FOUND),
        ("The hamster needs fresh water every morning [3].", Support.NOT_FOUND),
    ],
)
def test_states(text: str, expected: Support) -> None:
    ((_, state),) = states(text)
    assert state == expected or (expected == Support.NOT_FOUND and state == Support.WEAK)


def test_an_altered_number_is_not_supported() -> None:
    ((_, state),) = states("For the bus each pupil pays 15 euros [2].")
    assert state != Support.SUPPORTED


def test_the_passage_that_says_it_is_named() -> None:
    (verdict,) = verify_claims("For the bus, pupils pay 12 euros each [1].", PASSAGES, language="en").values()
    assert verdict.better == 2


def test_passages_cited_together_may_each_bring_a_part() -> None:
    text = "Goggles go on before the first bottle is opened and books are lent for three weeks [1][3]."
    assert states(text) == [(1, "supported"), (3, "supported")]
    assert states(text.replace("[3]", "[2]"))[1] == (2, "not found")


def test_each_marker_has_a_verdict_in_order() -> None:
    text = "Splashes on skin are rinsed at once [1]. Books are lent for three weeks [2][3]. `[1]`"
    assert [number for number, _ in states(text)] == [1, 2, 3]


def test_of_a_passage_in_another_language_nothing_bad_is_said() -> None:
    text = "Die Bibliothek öffnet um acht, und Bücher werden für drei Wochen ausgeliehen [3]."
    assert states(text, language="de") == []
    passage = NumberedPassage(1, "", (), "Die Bücherei öffnet um acht. Bücher leiht man für drei Wochen aus.", "")
    (verdict,) = verify_claims(text.replace("[3]", "[1]"), [passage], language="de").values()
    assert verdict.state == Support.SUPPORTED


def test_a_marker_without_words_has_none() -> None:
    found = verify_claims("[1]\n\nBooks are lent for three weeks [3].", PASSAGES, language="en")
    assert {place: verdict.number for place, verdict in found.items()} in ({0: 1, 1: 3}, {1: 3})


def test_odd_answers_do_no_harm() -> None:
    empty = [NumberedPassage(1, "", (), "", "")]
    assert verify_claims("", PASSAGES, language="en") == {}
    (verdict,) = verify_claims("Something [1].", empty, language="en").values()
    assert verdict.state == Support.NOT_FOUND
    assert [number for number, _ in states("Something [9] and more [1].")] == [1]


def test_what_stands_in_no_passage_is_told_but_what_was_asked_about_is_not() -> None:
    text = "The trip to Berlin costs 12 euros in 2031 [2]."
    found = find_unsupported(text, PASSAGES, question="What does the trip in 2031 cost?", language="en")
    assert [text[start:end] for start, end in found] == ["Berlin"]


def test_a_model_that_never_stops_is_looked_at_so_far() -> None:
    text = "Books are lent for three weeks [3]. " * (MAX_CLAIMS + 50)
    assert len(verify_claims(text, PASSAGES, language="en")) == MAX_CLAIMS


def test_nouns_of_an_answer_in_german_are_no_names_whatever_language_was_asked_for() -> None:
    text = "Der Bus zum Museum kostet jeden Schüler 12 Euro, und am Sonntag fährt Herr Müller ohne Fahrkarte mit [2]."
    found = find_unsupported(text, PASSAGES, question="Was kostet der Bus?", language="en")
    assert [text[start:end] for start, end in found] == ["Müller"]


def test_words_that_say_nothing_count_for_nothing() -> None:
    assert states("It has 0.5 mol/l [1].") == [(1, "supported")]
    assert states("They are worn before the first bottle is opened [1].")[0][1] == "supported"


def test_rows_of_a_table_are_judged_whatever_language_they_look_like() -> None:
    rows = ("| Beaker | Weight | Shelf |", "| --- | --- | --- |", "| Beaker type 17 | 51 | C19 |")
    table = "\n".join([*rows, "| Beaker type 18 | 64 | D2 |"])
    passage = NumberedPassage(1, "Glass", (), table, table)
    (verdict,) = verify_claims("Beaker type 17 weighs 52 [1].", [passage], language="en").values()
    assert verdict.state != Support.SUPPORTED


TIMES = """
The gates open at 08:15 and the register closes at 09:10. Lessons end at 15:00, on Fridays at 13:45.
Phones are kept at reception until 15:00. Goggles are worn whenever a liquid is open on the bench, dilution included.
Homework is never due the next day.
"""
LIQUIDS = """
| Liquid | pH | Colour |
| --- | --- | --- |
| Lemon juice | 2 | yellow |
| Black coffee | 5 | brown |
| Oven cleaner | 13 | white |
"""
HOLIDAYS = """
| Holiday | First day | Last day |
| --- | --- | --- |
| Autumn half-term | Monday 26 October 2026 | Friday 30 October 2026 |
| Spring half-term | Monday 15 February 2027 | Friday 19 February 2027 |
"""
FACTS = [NumberedPassage(n, "", (), text, text) for n, text in enumerate((TIMES, LIQUIDS, HOLIDAYS), start=1)]


def check(text: str) -> ClaimCheck:
    (verdict,) = verify_claims(text, FACTS, language="en").values()
    return verdict


@pytest.mark.parametrize(
    "text",
    [
        "The gates open at 10:15 [1].",
        "The gates open at 15:00 [1].",
        "The register closes at 08:10 [1].",
        "The phone is kept at reception until 15:45 [1].",
        "Goggles are not worn when a liquid is open on the bench, dilution included [1].",
        "Homework is due the next day [1].",
        "The pH of black coffee is 13 [2].",
        "The pH of oven cleaner is 5 [2].",
        "The colour of black coffee is white [2].",
        "The pH of lemon juice is not 2 [2].",
        "The autumn half-term holiday begins on Monday 15 February 2027 [3].",
        "The last day of spring half-term is Friday 30 October 2026 [3].",
    ],
)
def test_what_the_passage_says_otherwise_is_not_supported_but_contradicted(text: str) -> None:
    verdict = check(text)
    assert verdict.state != Support.SUPPORTED and verdict.contradicts


@pytest.mark.parametrize(
    "text",
    [
        "The gates open at 8:15 [1].",
        "At 15:00 the lessons end, on Fridays at 13:45 [1].",
        "Goggles must be worn when a liquid is open on the bench [1].",
        "It is never due the next day: homework [1].",
        "Black coffee has a pH of 5 [2].",
        "Lemon juice has the pH 2 and black coffee the pH 5 [2].",
        "The colour of oven cleaner is white, and its pH is 13 [2].",
        "The autumn half-term holiday begins on Monday 26 October 2026 [3].",
        "Spring half-term lasts from 15 to 19 February 2027 [3].",
    ],
)
def test_what_it_says_in_other_words_is_supported(text: str) -> None:
    assert check(text).state == Support.SUPPORTED


def test_a_sentence_without_a_marker_is_a_claim_too() -> None:
    text = (
        "Here is what I found:\n\nBooks are lent for three weeks [3]. A lost book costs its price. "
        "Hamsters drink fresh water every single morning. I hope this helps."
    )
    found = find_unsupported(text, PASSAGES, question="For how long are books lent?", language="en")
    assert [text[start:end] for start, end in found] == ["Hamsters drink fresh water every single morning."]


@pytest.mark.parametrize(
    ("passage", "text", "language"),
    [
        (
            "The library is open on Mondays for pupils and parents.",
            "The library is open on Mondays not only for pupils but also for parents [1].",
            "en",
        ),
        (
            "Die Bibliothek steht Schülern und Eltern offen.",
            "Die Bibliothek steht nicht nur Schülern, sondern auch Eltern offen [1].",
            "de",
        ),
        ("The gates do not open until 8:15 in the morning.", "The gates open at 8:15 in the morning [1].", "en"),
        (
            "Pupils may not leave the yard without permission.",
            "Pupils may leave the yard only with permission [1].",
            "en",
        ),
        ("Room No. 12 is the laboratory of year 9.", "The laboratory of year 9 is room 12 [1].", "en"),
    ],
)
def test_limits_and_what_is_added_are_no_negations(passage: str, text: str, language: str) -> None:
    (verdict,) = verify_claims(text, [NumberedPassage(1, "", (), passage, passage)], language=language).values()
    assert verdict.state == Support.SUPPORTED


@pytest.mark.parametrize(
    ("passage", "text"),
    [
        (
            "The parts of a flower are sepals, petals, stamens and carpels.",
            "A flower has 4 parts: sepals, petals, stamens and carpels [1].",
        ),
        (
            "The course lasts twenty lessons and ends with a test.",
            "The course lasts 20 lessons and ends with a test [1].",
        ),
    ],
)
def test_a_number_where_the_passage_has_none_is_doubted_but_not_contradicted(passage: str, text: str) -> None:
    (verdict,) = verify_claims(text, [NumberedPassage(1, "", (), passage, passage)], language="en").values()
    assert verdict.state != Support.SUPPORTED and not verdict.contradicts


TRIPS = "The trip takes 12 pupils of year 9 and 8 pupils of year 10. The bus leaves at half past seven."
CELLS = "A red blood cell has no nucleus or mitochondria. It is 7,500 nm wide, and the track was 1,500 m long."
TORQUE = "The wheel is turned with a torque of 12 N m in the workshop."
YEARS = "The school was founded in 1874 in Kelbourne. It has 600 pupils and 40 teachers."
GRAVITY = "The acceleration of free fall is 9.81 m/s² on the Earth."


@pytest.mark.parametrize(
    ("passage", "text", "is_supported"),
    [
        (TRIPS, "The trip takes 12 pupils of year 9 and 8 pupils of year 10, 20 pupils in all [1].", True),
        (TRIPS, "The trip takes 12 pupils of year 9 and 8 pupils of year 10, 21 pupils in all [1].", False),
        (TRIPS, "The bus leaves at 7:30 [1].", True),
        (TRIPS, "The bus leaves at 7:45 [1].", False),
        (CELLS, "A red blood cell has no nucleus and no mitochondria [1].", True),
        (CELLS.replace("or", "and no"), "A red blood cell has no nucleus but has mitochondria [1].", False),
        (CELLS, "The track was 1.5 km long [1].", True),
        (CELLS, "The track was 15 km long [1].", False),
        (CELLS, "The track was 1,500 km long [1].", False),
        (CELLS, "A red blood cell is 7.5 µm wide [1].", True),
        (CELLS, "A red blood cell is 7,500 mm wide [1].", False),
        (TORQUE, "The wheel is turned with 12 Nm [1].", True),
        (TORQUE, "The wheel is turned with 12 N m [1].", True),
        (TORQUE, "The wheel is turned with 12 nm [1].", False),
        (TORQUE, "The wheel is turned with 12 newton metres [1].", True),
        (GRAVITY, "The acceleration of free fall is about 9.8 m/s² on the Earth [1].", True),
        (YEARS, "The school was founded about 1870 in Kelbourne [1].", True),
        (YEARS, "The school was founded about 1912 in Kelbourne [1].", False),
        (YEARS, "The school has 600 pupils and 40 teachers and was founded with 1914 pupils in Kelbourne [1].", False),
        (CELLS, "The track was 1.5 km/h long [1].", False),
        (GRAVITY, "The acceleration of free fall is about 8.9 m/s² on the Earth [1].", False),
    ],
)
def test_sums_units_rounding_and_times_in_words(passage: str, text: str, is_supported: bool) -> None:
    passages = [NumberedPassage(1, "", (), passage, passage)]
    (verdict,) = verify_claims(text, passages, language="en").values()
    assert (verdict.state == Support.SUPPORTED) == is_supported
    assert not (is_supported and find_unsupported(text, passages, question="", language="en"))


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Let me know if you need more about the bus.", "en"),
        ("Unfortunately, I couldn’t find the other times.", "en"),
        ("Feel free to ask for the other times.", "en"),
        ("Sag mir, ob ich noch mehr suchen soll.", "de"),
        ("N’hésite pas à demander autre chose.", "fr"),
        ("Avísame si quieres saber algo más.", "es"),
    ],
)
def test_what_a_model_says_of_itself_is_no_claim(said: str, language: str) -> None:
    passages = [NumberedPassage(1, "", (), TRIPS, TRIPS)]
    assert find_unsupported(said, passages, question="", language=language) == []


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("World War I will have ended in all of the countries.", "en"),
        ("The current I is always larger in thicker wires.", "en"),
        ("Je größer die Masse, desto kleiner die Beschleunigung.", "de"),
    ],
)
def test_words_that_look_like_a_pronoun_hide_no_claim(said: str, language: str) -> None:
    assert [one.text for one in extract_uncited_claims(said, language)] == [said]
