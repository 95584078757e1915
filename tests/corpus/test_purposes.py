"""What the parts of a section are for, and what a question asks for."""

import pytest

from corpus.ingestion.chunking import chunk
from corpus.ingestion.readers.structure import Section
from corpus.ingestion.splitting.purposes import find_purposes
from text.sections import Purpose, find_purposes_asked

NOTE = "> **Teacher Support** Ask pupils what they know of inertia."
LAW = "A body at rest remains at rest unless a force acts on it."
CHOICE = "What is inertia?\n\n- a force\n- a tendency\n- a speed"
STATES, EXERCISE, TEACHER, TERMS, CAPTION = Purpose


@pytest.mark.parametrize(
    ("heading", "text", "expected"),
    [
        ("Inertia", LAW, [STATES]),
        ("Inertia", "", [STATES]),
        ("Inertia", f"{LAW}\n\n{NOTE}\n\n{LAW}", [STATES, TEACHER, STATES]),
        ("Inertia", f"{LAW}\n\nFigure 2.1 A ball at rest.", [STATES, CAPTION]),
        (
            "Trägheit",
            f"{LAW}\n\nAbb. 3: Eine Kugel.\n\n**Hinweise für Lehrkräfte** Fragen Sie nach.",
            [STATES, CAPTION, TEACHER],
        ),
        ("Check your understanding", f"{CHOICE}\n\n{NOTE}", [EXERCISE, TEACHER]),
        ("Concept Items", "True or false: inertia is a force\n\n- True\n- False", [EXERCISE]),
        ("Section 5: Review questions on motion", "1. Calculate the speed of a tram.\n2. Explain inertia.", [EXERCISE]),
        ("Aufgaben", "Berechne die Geschwindigkeit.", [EXERCISE]),
        ("Exercices", "Calcule la vitesse.", [EXERCISE]),
        ("Ejercicios", "Calcula la velocidad.", [EXERCISE]),
        ("Questions", "When does the library open?\n\nAt eight.\n\nWho may borrow?\n\nAll pupils.", [STATES]),
        ("Homework", "Homework is set on the planner by 16:00.", [STATES]),
        ("Aufgaben der Schule", "Die Schule sorgt für:\n\n- Aufsicht\n- Beratung", [STATES]),
        ("Homework", "It is due on:\n\n- Mondays in grade 5\n- Tuesdays in grade 6", [STATES]),
        ("Questions and answers", "When is it open?\n\n- Mondays: 8 to 16\n- Fridays: 8 to 12", [STATES]),
        ("Questions", "When is it open?\n\n- Mondays: 8 to 16\n- Fridays: 8 to 12", [STATES]),
        ("Questions", "When is it open?\n\n- **Mondays:** 8 to 16\n- **Fridays:** 8 to 12", [STATES]),
        ("Exercises", "When is it?\n\n- On Mondays.\n\nWho may come?\n\n- All pupils.", [STATES]),
        ("Questions", "1. When is it?\n   - On Mondays.\n2. Who may come?\n   - All pupils.", [STATES]),
        ("Questions", "1. When is it?\n   - On Mondays.\n   - On Fridays.", [EXERCISE]),
        ("Exercises", "1. What is 2 + 2?\n   - Answer A: 3\n   - Answer B: 4", [EXERCISE]),
        ("Questions", "- When is it?\n- Who may come?\n- Explain inertia.\n- Go on with page 3.", [EXERCISE]),
        ("Worksheet 3", f"{LAW}\n\n1. What is inertia?\n2. Explain the law.", [STATES, EXERCISE]),
        ("Worksheet 3", f"{LAW}\n\n{LAW}\n\n{CHOICE}\n\n{CHOICE}\n\n{CHOICE}", [STATES, EXERCISE]),
        ("Motors", "Figure 12.3 shows that the motor gives 40 % of its energy back.", [STATES]),
        ("Pausen", "**Lehrkräfte** melden sich bis 7:30 krank.", [STATES]),
        ("Pausen", "**Für Lehrkräfte** Fragen Sie nach.", [TEACHER]),
        ("Grades", "**For teachers:** Grades are due on Friday.\n\n**For pupils:** Ask your teacher.", [STATES]),
        ("Noten", "> **Für Lehrkräfte**: Noten sind am Freitag fällig.", [STATES]),
        ("Notes", "**Pour l’enseignant :** les notes sont dues vendredi.", [STATES]),
        ("Grades", "**For teachers and parents:** Grades are due on Friday.", [STATES]),
        ("Noten", "**Für Lehrkräfte der Klasse 5:** Noten sind fällig.", [STATES]),
        ("Notas", "**Para el profesorado:** las notas se entregan el viernes.", [STATES]),
        ("Grades", "**For teachers** Say: grades are due.", [TEACHER]),
        ("Grades", "**For teachers** Ask pupils for their grades.", [TEACHER]),
        ("Grades", "**Teacher notes:** Ask pupils for their grades.", [TEACHER]),
        ("What parents should know before they ask for quizzes", "When is it?", [STATES]),
        ("Section Key Terms", "| inertia | law of inertia |\n| --- | --- |", [TERMS]),
        ("Key terms", f"| inertia | {LAW} |\n| --- | --- |", [STATES]),
        ("Key words", "| English | German |\n| --- | --- |\n| house | Haus |\n| tree | Baum |", [STATES]),
        ("Vocabulaire, unité 2", "| Français | Allemand |\n| --- | --- |\n| hérisson | der Igel |", [STATES]),
    ],
)
def test_purposes(heading: str, text: str, expected: list[Purpose]) -> None:
    found = list(find_purposes((heading,), text))
    assert [purpose for _, _, purpose in found] == expected
    assert "".join(text[start:end] for start, end, _ in found) == text


def test_a_block_is_for_one_purpose_and_keeps_its_lines() -> None:
    section = Section(("Inertia",), f"{LAW}\n\n{NOTE}\n\n{LAW}\n", lines=(3, 7))
    pieces = chunk([section], count_tokens=lambda text: len(text.split()), max_tokens=100)
    assert [(one.block, one.lines, one.purpose) for one in pieces] == [
        (0, (3, 3), STATES),
        (1, (5, 5), TEACHER),
        (2, (7, 7), STATES),
    ]
    assert "".join(one.text for one in pieces) == section.text


@pytest.mark.parametrize(
    ("question", "purposes", "about"),
    [
        ("What is inertia?", (STATES,), "What is inertia?"),
        ("Give me an exercise on moments and levers.", (EXERCISE,), "moments and levers"),
        ("An exercise about levers", (EXERCISE,), "levers"),
        ("Which exercise books for maths?", tuple(Purpose), "Which exercise books for maths?"),
        ("Gib mir bitte eine Aufgabe zu Hebeln!", (EXERCISE,), "Hebeln"),
        ("Donne-moi un exercice sur les leviers", (EXERCISE,), "les leviers"),
        ("Dame un ejercicio sobre palancas", (EXERCISE,), "palancas"),
        ("What is the answer to exercise 3?", tuple(Purpose), "What is the answer to exercise 3?"),
        ("What does figure 2.1 show?", tuple(Purpose), "What does figure 2.1 show?"),
        ("Why do pupils need exercise?", tuple(Purpose), "Why do pupils need exercise?"),
        ("When do we have a quiz on levers?", tuple(Purpose), "When do we have a quiz on levers?"),
        ("Physical exercise for children", tuple(Purpose), "Physical exercise for children"),
        ("Warum brauchen wir Übungen?", tuple(Purpose), "Warum brauchen wir Übungen?"),
        ("Do you have a quiz on levers?", (EXERCISE,), "levers"),
        ("When is the homework due?", tuple(Purpose), "When is the homework due?"),
    ],
)
def test_what_a_question_asks_for(question: str, purposes: tuple[Purpose, ...], about: str) -> None:
    assert find_purposes_asked(question) == (purposes, about)
