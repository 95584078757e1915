"""Two different keywords bring the pages of a topic; nothing else does (A1)."""

import pytest

from references.approved.keywords import drop_repeated, find_hits, is_hit

RENTING = ["tenant", "landlord", "deposit", "notice period", "rent"]
PLANTS = ["photosynthesis", "chlorophyll", "leaf", "carbon dioxide"]
ACIDS = ["acid", "base", "pH value", "indicator", "neutralisation"]
GLACIERS = ["Gletscher", "Eis", "Schmelzwasser", "Gletscherspalte"]
FAMILY = ["parent", "child", "separation", "custody"]
TOPICS = [RENTING, PLANTS, ACIDS, GLACIERS, FAMILY]

UNRELATED = """
What is the capital of Australia?
Who painted the Mona Lisa?
How many players has a football team?
When did the Second World War end?
Why is the sky blue?
What does the word onomatopoeia mean?
How do I bake a sponge cake?
Which planet has the most moons?
Who wrote Pride and Prejudice?
How fast does sound travel in water?
What is a prime number?
How do vaccines work?
What causes earthquakes?
Wie heißt die Hauptstadt von Kanada?
Wer hat den Buchdruck erfunden?
Was ist ein Adjektiv?
Wie viele Bundesländer hat Deutschland?
Wann wurde die Berliner Mauer gebaut?
Wie berechnet man den Umfang eines Kreises?
Warum gibt es Ebbe und Flut?
Quelle est la capitale de l’Italie ?
Qui a écrit Les Misérables ?
Comment calcule-t-on l’aire d’un triangle ?
Pourquoi les feuilles mortes tombent-elles en automne ?
Quand a eu lieu la Révolution française ?
Qu’est-ce qu’un volcan ?
¿Cuál es la capital del Perú?
¿Quién escribió Don Quijote de la Mancha?
¿Cuántos huesos tiene el cuerpo humano?
¿Por qué flota un barco?
¿Qué es una metáfora?
¿Cómo se forma el arco iris?
What is the difference between weather and climate?
How does a bill become a law?
What did the Romans eat for breakfast?
Explain the rules of chess in a few sentences.
Which gases make up the air that we breathe?
What is the boiling point of water on Mount Everest?
How do I write a good introduction to an essay?
Why did the chicken cross the road?
Who discovered penicillin?
What is the longest river in Africa?
How many strings does a violin have?
What is the past tense of to go?
What is meant by supply and demand?
Who was the first woman in space?
How do bees make honey?
What is the square root of 144?
Why do cats purr?
Tell me a joke about mathematics.
""".strip().splitlines()


def test_no_unrelated_question_hits_a_topic() -> None:
    assert len(UNRELATED) == 50
    assert [(question, topic) for question in UNRELATED for topic in TOPICS if is_hit(question, topic)] == []


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Must my landlord protect the deposit?", RENTING),
        ("TENANTS AND LANDLORDS", RENTING),
        ("How long is the notice period of a tenancy for tenants?", RENTING),
        ("Why does a leaf need chlorophyll?", PLANTS),
        ("Does photosynthesis use up carbon dioxide?", PLANTS),
        ("Which indicator shows acids?", ACIDS),
        ("Wie entstehen Gletscherspalten im Eis?", GLACIERS),
        ("Wieviel Schmelzwasser fließt unter den Gletschern?", GLACIERS),
        ("How do parents tell a child?", FAMILY),
    ],
)
def test_two_keywords_in_any_form_hit(question: str, topic: list[str]) -> None:
    assert is_hit(question, topic)


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        ("Wie reagieren Säuren mit Basen?", ["Säure", "Base"]),
        ("Wie reagieren Sauren mit Basen?", ["Säure", "Base"]),
        ("Straßen und Brücken", ["Strasse", "Brücke"]),
        ("Pourquoi les élèves étudient-ils les océans ?", ["élève", "océan"]),
        ("Pourquoi les eleves etudient-ils les oceans ?", ["élève", "océan"]),
        ("L’œuvre du chœur", ["oeuvre", "choeur"]),
        ("¿Qué hacen las células y los núcleos?", ["célula", "núcleo"]),
        ("¿Que hacen las celulas y los nucleos?", ["célula", "núcleo"]),
    ],
)
def test_accents_and_case_do_not_matter_in_four_languages(question: str, keywords: list[str]) -> None:
    assert len(find_hits(question, keywords)) == len(find_hits(question.upper(), keywords)) == 2


@pytest.mark.parametrize(
    "question",
    [
        "Photosynthesis, photosynthesis and photosynthesis again?",
        "What is photosynthesis?",
        "Leaf, leaves and leaf?",
        "",
        "?",
    ],
)
def test_forms_of_one_keyword_count_once(question: str) -> None:
    assert len(find_hits(question, PLANTS)) <= 1
    assert not is_hit(question, PLANTS)


def test_two_keywords_of_one_stem_are_one() -> None:
    assert drop_repeated(["acid", "Acids", "base", "ACID"]) == ["acid", "base"]
    assert not is_hit("Are acids acid?", ["acid", "acids"])


def test_words_of_a_longer_keyword_do_not_count_again() -> None:
    keywords = ["rain", "acid rain", "acid"]
    assert find_hits("What is acid rain?", keywords) == ["acid rain"]
    assert is_hit("Is acid rain an acid?", keywords)
    assert not is_hit("What is acid, or: why is it wet?", keywords)


def test_the_words_of_a_keyword_follow_each_other() -> None:
    assert not find_hits("Is there a period in this notice?", ["notice period"])


def test_signs_and_scripts_of_any_kind_break_nothing() -> None:
    for question in ("\u0301\u0301", "x\u0302y acid base", "酸 and 塩基", "½ acid, ﬁne base", "🙂" * 50):
        assert len(find_hits(question, ["acid", "base", "酸"])) <= 2
    assert is_hit("酸と塩", ["酸", "塩"])
