"""Concepts found by rules: in four languages, each with a sentence that defines it, and no nonsense."""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.concepts.find_concepts import define_name, find_concepts
from learning.material import MAX_CONCEPTS, FoundConcept
from learning.reading.statements import plain
from tests.learning.passages import TEXTS, passage, passages

EXPECTED = {
    "en": ["cell", "cell membrane", "osmosis", "photosynthesis", "deoxyribonucleic acid", "Chloroplasts", "enzyme"],
    "de": ["Zelle", "Zellmembran", "Osmose", "Photosynthese", "Desoxyribonukleinsäure", "Chlorophyll", "Chloroplasten"],
    "fr": ["cellule", "membrane plasmique", "osmose", "photosynthèse", "acide désoxyribonucléique", "chlorophylle"],
    "es": ["célula", "membrana plasmática", "ósmosis", "fotosíntesis", "ácido desoxirribonucleico", "clorofila"],
}


def by_name(concepts: list[FoundConcept]) -> dict[str, FoundConcept]:
    return {concept.name.casefold(): concept for concept in concepts}


def check(concepts: list[FoundConcept], most: int = MAX_CONCEPTS) -> None:
    """What holds for whatever is found."""
    names = [concept.name for concept in concepts]
    assert len(names) == len(set(names)) <= most
    graph = nx.DiGraph((before, one.name) for one in concepts for before in one.prerequisites)
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph.edges) == set(nx.transitive_reduction(graph).edges)
    for place, concept in enumerate(concepts):
        assert concept.definition in plain(concept.defined_in.text)
        assert "?" not in concept.definition
        assert concept.defined_in in concept.passages
        assert len(concept.passages) <= 8
        assert len(concept.prerequisites) <= 4
        assert set(concept.prerequisites) <= set(names[:place])
        assert concept.name not in concept.synonyms


@pytest.mark.parametrize("language", EXPECTED)
def test_concepts_of_a_text(language: str) -> None:
    found = find_concepts(passages(TEXTS[language]), language=language)
    check(found)
    assert sorted(by_name(found)) == sorted(map(str.casefold, EXPECTED[language]))


@pytest.mark.parametrize(
    ("language", "name", "needs"),
    [
        ("en", "osmosis", "cell membrane"),
        ("de", "Osmose", "Zellmembran"),
        ("fr", "osmose", "membrane plasmique"),
        ("es", "ósmosis", "membrana plasmática"),
    ],
)
def test_what_a_definition_mentions_is_learnt_before(language: str, name: str, needs: str) -> None:
    found = by_name(find_concepts(passages(TEXTS[language]), language=language))
    assert found[name.casefold()].prerequisites == (needs,)


@pytest.mark.parametrize(
    ("language", "name", "short"),
    [
        ("en", "deoxyribonucleic acid", "DNA"),
        ("de", "Desoxyribonukleinsäure", "DNS"),
        ("fr", "acide désoxyribonucléique", "ADN"),
        ("es", "ácido desoxirribonucleico", "ADN"),
    ],
)
def test_an_abbreviation_is_a_synonym(language: str, name: str, short: str) -> None:
    found = by_name(find_concepts(passages(TEXTS[language]), language=language))
    assert found[name.casefold()].synonyms == (short,)
    assert short.casefold() not in found


def test_variants_of_a_name_are_one_concept() -> None:
    text = (
        "Enzymes are proteins that speed up reactions. An **enzyme** is a protein that speeds up a chemical reaction. "
        "Enzymes also digest food. The ENZYME stays as it is."
    )
    assert list(by_name(find_concepts([passage(text, "Enzymes")], language="en"))) == ["enzyme"]


def test_a_german_name_is_written_as_without_its_article() -> None:
    text = "Der **elektrische Widerstand** ist der Quotient aus Spannung und Stromstärke. Die Einheit ist das Ohm."
    (concept,) = find_concepts([passage(text, "Strom")], language="de")
    assert concept.name == "elektrischer Widerstand"


@pytest.mark.parametrize(
    "sentence",
    [
        "It is a small part of every living cell.",
        "What is a **membrane** and where do cells have one?",
        "Explain why a **membrane** is a part of the cell.",
        "The answer is a number that tells how many cells there are.",
        "The following figure is a picture of cells that divide.",
        "There is a layer that separates the cell from its surroundings.",
        "**Membrane** is one.",
        "Another example is a cell that has lost its nucleus.",
        "The first step is a reaction that needs light and water.",
        "- [A **membrane** is](https://example.org)",
    ],
)
def test_what_is_no_definition_makes_no_concept(sentence: str) -> None:
    assert find_concepts([passage(sentence, "Introduction")], language="en") == []


def test_wrong_options_of_an_exercise_are_not_taken_for_definitions() -> None:
    text = "What is velocity?\n\n- Velocity is the weight of a body that moves.\n- Velocity is the colour of a body.\n"
    assert find_concepts([passage(text, "Velocity")], language="en") == []


@pytest.mark.parametrize(
    ("heading", "teaches"),
    [
        ("Practice Problems", False),
        ("3.4 Questions", False),
        ("Problems and Exercises", False),
        ("Test Prep Multiple Choice", False),
        ("Übungen", False),
        ("Références", False),
        ("Ejercicios", False),
        ("The refractive index", True),
        ("Enzyme activity", True),
        ("Energy sources", True),
        ("Solutions", True),
    ],
)
def test_exercises_are_told_by_their_heading(heading: str, teaches: bool) -> None:
    text = "An **enzyme** is a protein that speeds up a chemical reaction."
    assert bool(find_concepts([passage(text, "Biology", heading)], language="en")) is teaches


def test_hints_for_teachers_are_left_out() -> None:
    text = "> **Teacher Support** Tell them more. An **enzyme** is a protein that speeds up a chemical reaction.\n"
    assert find_concepts([passage(text, "Enzymes")], language="en") == []


def test_headings_that_name_nothing_are_no_concepts() -> None:
    text = "Osmosis is the movement of water through a membrane that lets only water pass."
    headings = ("Introduction", "Summary", "Learning objectives", "Chapter 3", "2.1 Overview")
    found = find_concepts([passage(text, heading, position=n) for n, heading in enumerate(headings)], language="en")
    assert list(by_name(found)) == ["osmosis"]


def test_markdown_is_stripped_and_words_stay() -> None:
    text = "An **enzyme** is a [protein](https://example.org/p) that *speeds up* a `chemical` reaction.[3]"
    (concept,) = find_concepts([passage(text, "Enzymes")], language="en")
    assert concept.definition == "An enzyme is a protein that speeds up a chemical reaction."


def test_a_definition_belongs_to_the_chunk_that_has_it() -> None:
    first, second = "Cells are small and many.", "An **enzyme** is a protein that speeds up a chemical reaction."
    section = f"{first}\n\n{second}"
    chunks = [passage(section, "Enzymes", position=n, excerpt=excerpt) for n, excerpt in enumerate((first, second))]
    (concept,) = find_concepts(chunks, language="en")
    assert concept.defined_in == chunks[1]


def test_stubs_and_exercises_are_no_passages_of_a_concept() -> None:
    defined = passage("An **enzyme** is a protein that speeds up a chemical reaction.", "Enzymes")
    about = passage(f"An enzyme digests food in the stomach. {'Food is eaten every day by people. ' * 6}", "Food")
    stub = passage("Enzymes digest.", "Stub")
    exercise = passage(f"Name an enzyme. {'Write down all that comes to your mind about it. ' * 6}", "Exercises")
    found = find_concepts([stub, exercise, about, defined], language="en")
    concept = next(one for one in found if one.name == "enzyme")
    assert concept.passages == (defined, about)


@pytest.mark.parametrize("most", [0, 1, 3, 1000])
def test_there_are_at_most_as_many_as_asked(most: int) -> None:
    names = [f"{first}{second}ase" for first in "bcdfglmprst" for second in ("ala", "ere", "ilo", "omu", "unda", "yka")]
    text = "\n\n".join(
        f"**{name.capitalize()}** is a protein that takes part in the digestion of food." for name in names
    )
    found = find_concepts([passage(text, "Enzymes")], language="en", most=most)
    check(found, most)
    assert len(found) == min(most, MAX_CONCEPTS)


def test_a_topic_comes_first() -> None:
    found = find_concepts(passages(TEXTS["en"]), topic="photosynthesis", language="en", most=2)
    assert "photosynthesis" in by_name(found)


def test_no_passages_and_texts_without_words_have_no_concepts() -> None:
    assert find_concepts([], language="en") == []
    assert find_concepts([passage(text) for text in ("", "   ", "|||", "**", "$$", "🙂🙂")], language="en") == []


def test_the_order_of_a_dictionary_breaks_no_tie() -> None:
    texts = passages(TEXTS["en"])
    assert find_concepts(texts, language="en") == find_concepts(list(texts), language="en")


PIECES = st.sampled_from(
    [
        "A force is a push or a pull that acts on a body.",
        "**Mass** is a measure of the amount of matter in a body.",
        "Net force is the sum of all forces that act on a mass.",
        "**Weight** is the force of gravity that acts on a mass.",
        "Gravity is the force that pulls a weight to the ground.",
        "The rate at which work is done is called power.",
        "Work is force times distance.",
        "It is known as the newton.",
        "- **joule (J)**: the unit of work",
        "| mass | force |\n| --- | --- |",
        "What is a force?",
        "## Forces",
        "> **Note** Mass is not weight.",
        "*Δ*s = 4 $x_1$ **",
        "Ω≈ç√∫ **ß** is",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    sections=st.lists(st.lists(PIECES, min_size=1, max_size=6), max_size=6),
    language=st.sampled_from(["en", "de", "xx"]),
)
def test_what_holds_for_whatever_is_found(sections: list[list[str]], language: str) -> None:
    texts = ["\n\n".join(pieces) for pieces in sections]
    given = [passage(text, f"{n}. Forces and motion", position=n) for n, text in enumerate(texts)]
    check(find_concepts(given, language=language, most=5), 5)


def test_a_long_run_of_signs_costs_no_time() -> None:
    texts = ["a " * 20_000, "(" * 20_000, "**" * 10_000, "is a " * 10_000, "A" * 50_000, "A is, " * 10_000]
    check(find_concepts([passage(text, "Signs", position=n) for n, text in enumerate(texts)], language="en"))


def test_where_little_is_defined_headings_are_concepts() -> None:
    flood = "In the flood of 1795, after a sudden thaw, the river rose eleven feet in one night."
    walk = "Bring boots for the river walk. The river walk takes 75 minutes and is 2.4 km long."
    found = by_name(
        find_concepts([passage(flood, "Guide", "Flood of 1795"), passage(walk, "Guide", "River walk")], language="en")
    )
    assert found["flood of 1795"].definition == flood
    assert found["river walk"].definition == "The river walk takes 75 minutes and is 2.4 km long."
    assert "Guide" not in found


@pytest.mark.parametrize(
    ("text", "language", "name", "definition"),
    [
        ("Particles spread out. This is called **diffusion**.", "en", "diffusion", None),
        ("Die Sonne geht nicht unter. Diese Erscheinung nennt man **Polartag**.", "de", "Polartag", None),
        ("Les députés jurent de rester. Cet acte est appelé **Serment**.", "fr", "Serment", None),
        ("The cell is full of **cytoplasm**, a liquid like jelly.", "en", "cytoplasm", None),
        ("**Ribosomes** make proteins.", "en", "Ribosomes", None),
        ("**Chloroplasts** are green organelles in plants.", "en", "Chloroplasts", None),
        ("El **numerador** indica cuántas partes se toman.", "es", "numerador", None),
        ("However, a **membrane** keeps water out of the cell.", "en", "membrane", None),
        ("- Noblesse : les familles qui possèdent les terres", "fr", "Noblesse", None),
        ("**Definition:** A *lever* is a bar that turns about a point.", "en", "lever", "A lever is a bar"),
    ],
)
def test_what_the_author_marked_is_a_concept(text: str, language: str, name: str, definition: str | None) -> None:
    (concept,) = find_concepts([passage(text, "Text", title="Text")], language=language)
    assert concept.name == name
    assert concept.definition.startswith(definition or plain(text).lstrip("• "))


@pytest.mark.parametrize(
    ("label", "language"),
    [
        ("Homework", "en"),
        ("Task 3", "en"),
        ("Example", "en"),
        ("Note", "en"),
        ("Hausaufgabe", "de"),
        ("Merke", "de"),
        ("Beispiel 2", "de"),
        ("À retenir", "fr"),
        ("Devoirs", "fr"),
        ("Tarea", "es"),
        ("Recuerda", "es"),
    ],
)
def test_labels_are_no_concepts(label: str, language: str) -> None:
    text = f"**{label}:** La Luna 7 Klima water energy everywhere."
    assert find_concepts([passage(text, "Text", title="Text")], language=language) == []
    assert find_concepts([passage(f"**{label}** water energy everywhere.", title="Text")], language=language) == []


def test_the_first_column_of_a_table_has_terms() -> None:
    rows = "| Zone | Plants |\n| --- | --- |\n| Tropics | rainforest |\n| Polar zone | mosses |\n"
    found = find_concepts([passage(rows, "Climate", title="Climate")], language="en")
    assert [(one.name, one.definition) for one in found] == [
        ("Tropics", "Zone: Tropics · Plants: rainforest"),
        ("polar zone", "Zone: Polar zone · Plants: mosses"),
    ]
    dates = (
        "| Date | Event |\n| --- | --- |\n| 5 May 1789 | The estates meet |\n| 14 July 1789 | The Bastille falls |\n"
    )
    assert find_concepts([passage(dates, title="Events")], language="en") == []
    one_row = rows.replace("| Polar zone | mosses |\n", "")
    assert find_concepts([passage(one_row, "Climate", title="Climate")], language="en") == []


def test_marks_go_before_what_is_only_defined() -> None:
    terms = "\n\n".join(f"**{word.capitalize()}ase** is a protein of the body." for word in "abcdefghij")
    text = f"{terms}\n\nOsmosis is the movement of water through a membrane."
    found = find_concepts([passage(text, title="Enzymes")], language="en")
    assert "osmosis" not in by_name(found)
    assert all(one.is_marked for one in found)
    assert not any(one.is_marked for one in find_concepts(passages({"Osmosis": text[-53:]}), language="en"))


def test_a_name_that_somebody_gives_is_defined_by_the_passages() -> None:
    text = "Yeast lives on sugar. Bread rises because yeast makes gas."
    found = define_name("Yeast", [passage(text, "Bread")], "en")
    assert found is not None
    assert found.definition == "Yeast lives on sugar."
    assert define_name("bourgeoisie", [passage(text, "Bread")], "en") is None
    assert define_name("", [passage(text, "Bread")], "en") is None


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("en", "B stays inside one head. We call this limited third person.", ["limited third person"]),
        ("en", "When we have reasons to doubt a story, we speak of an unreliable narrator.", ["unreliable narrator"]),
        ("de", "Fallen die Preise auf breiter Front, so spricht man von Deflation. Sie ist selten.", ["Deflation"]),
        ("de", "Leyla verdient Geld. Ihr Nominallohn, das ist der Betrag auf dem Zettel, steigt.", ["Nominallohn"]),
        ("fr", "Le texte va d’une assemblée à l’autre. On appelle cela la navette, comme un bateau.", ["navette"]),
        ("es", "El metal se cubre de óxido rojo. A esto se le llama oxidación.", ["oxidación"]),
    ],
)
def test_sentences_that_name_something_are_found_though_they_lean_on_others(
    language: str, text: str, names: list[str]
) -> None:
    found = find_concepts([passage(text)], language=language)
    assert [one.name for one in found] == names


def test_terms_of_a_line_of_key_words_are_concepts() -> None:
    text = "Mots-clés : amendement, décret\n\nChaque élu peut déposer un amendement pour changer une phrase du texte."
    found = find_concepts([passage(text)], language="fr")
    assert [one.name for one in found] == ["amendement"]


def test_dates_and_rows_of_figures_are_no_concepts() -> None:
    text = (
        "- October 1347: Galleys from the east reach Messina with sick sailors on board.\n\n"
        "| Substance | pH |\n| --- | --- |\n| Vinegar | 3 |\n| Sea water | 8 |"
    )
    assert find_concepts([passage(text)], language="en") == []
