"""Answers that quote the sources, with the packaged embedder."""

import pytest
from pytest_django import Settings

from chatbots.passages import AnswerPrompt, NumberedPassage
from chatbots.quoting.answerer import ExtractiveAnswerer
from chatbots.quoting.selection import select_sentences
from engines.embedding import get_embedder
from engines.errors import ModelSilent
from engines.llm import get_llm
from tests.chatbots.quoting import FEES, HANDBOOK, PHOTOSYNTHESIS, answer, prompt, quotations


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
    found = quotations(answer(prompt("What happens to late work after one day and after five days?", HANDBOOK)))
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
def test_other_languages_are_found_by_their_words(language: str, question: str, text: str, expected: str) -> None:
    assert expected in select_sentences(prompt(question, text, language=language), get_embedder())[0].text


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


def policy(question: str) -> AnswerPrompt:
    """A prompt whose passages are the sections of a policy."""
    found = [NumberedPassage(n, path[0], path, text, text) for n, (path, text) in enumerate(RULES.items(), start=1)]
    return AnswerPrompt((), question, tuple(found))


@pytest.mark.parametrize("question", ["What does LS-05 say?", "ls-05", "Tell me about LS\u201105"])
def test_a_section_asked_for_by_its_code_is_quoted_from_its_beginning(question: str) -> None:
    best = select_sentences(policy(question), get_embedder())
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
    best = select_sentences(AnswerPrompt((), "Where is thermite shown?", tuple(passages)), get_embedder())
    assert best[0].text == "It is shown in the yard."


def test_a_table_row_is_quoted_only_when_nothing_fits_better() -> None:
    best = select_sentences(prompt("What is the price of a sports kit?", FEES, HANDBOOK), get_embedder())
    assert best[0].text == "| Sports kit | 30 € |"
    assert all(found.sentence.kind != "row" for found in best[1:])
    best = select_sentences(prompt("When are the fees due?", FEES, HANDBOOK), get_embedder())
    assert best[0].text == "The fees are due in September."
    assert all(found.sentence.kind != "row" for found in best)


def outline(*passages: NumberedPassage) -> str:
    return answer(AnswerPrompt((), "", passages, asks_for_summary=True))


def test_an_outline_has_headings_with_the_first_sentence_of_each_passage() -> None:
    table, rivers = "| Item | Price |\n|---|---|\n| Kit | 30 |", "- Maps\n\nRivers are long. They end in the sea."
    written = outline(
        NumberedPassage(1, "Notes", ("Notes", "Rivers"), rivers, rivers),
        NumberedPassage(2, "Notes", ("Notes", "Rivers"), "A delta grows. It is wide.", "A delta grows."),
        NumberedPassage(3, "Notes", ("Notes", "Empty"), "---", "---"),
        NumberedPassage(4, "Prices", (), table, table),
    )
    assert written.startswith(
        "**Rivers** “Rivers are long.” [1]\n\n“A delta grows.” [2]\n\n**Prices** “Kit”: Price “30” [4]"
    )
    assert "wide" not in written and "Empty" not in written


def test_an_outline_of_nothing_says_so() -> None:
    with pytest.raises(ModelSilent):
        outline(NumberedPassage(1, "Notes", (), "---", "---"))
