"""What the tutor of a plan and a chatbot over the same file answer to the same questions, without a language model.

    python -m benchmarks.learning.tutor [--data DIR] [--show] [--json result.json]

Asks twenty questions about the handouts of this folder, five in each of four languages. Each names words that a good
answer has. A row says whether they stand in the answer of the tutor (as soon as it answers, and as a tutor that hints
does when it is asked again) and in that of the chatbot.
"""

from __future__ import annotations

import os
from typing import Any

from benchmarks import ground
from benchmarks.learning.handouts import HANDOUTS

QUESTIONS = {
    "cell.en": {
        "What do mitochondria do?": "release energy",
        "Why do muscle cells have many mitochondria?": "need a lot of energy",
        "What is the movement of particles from many to few called?": "diffusion",
        "How do I prepare an onion cell?": "Peel off",
        "Do bacteria have a nucleus?": "no nucleus",
    },
    "fracciones.es": {
        "¿Qué es una fracción impropia?": "mayor o igual",
        "¿Cómo se divide por una fracción?": "inverso",
        "¿Por qué no se pueden sumar un medio y un tercio?": "tamaño",
        "¿Cómo se suman fracciones con distinto denominador?": "denominador común",
        "¿Qué indica el numerador?": "se toman",
    },
    "klimazonen.de": {
        "Warum ist es an den Polen kalt?": "flach einfallen",
        "Was wächst in den Subtropen?": "Hartlaubgewächse",
        "Um wie viel sinkt die Temperatur mit der Höhe?": "0,6 °C",
        "Was ist der Unterschied zwischen Wetter und Klima?": "30 Jahre",
        "Warum ist Europa im Winter milder als Kanada?": "Golfstrom",
    },
    "revolution.fr": {
        "Pourquoi le tiers état est-il mécontent ?": "impôts",
        "Qui était la bourgeoisie ?": "marchands",
        "Que s'est-il passé le 14 juillet 1789 ?": "Bastille",
        "Qu'est-ce que la Terreur ?": "adversaires",
        "Pourquoi l'État n'a-t-il plus d'argent ?": "guerres",
    },
}


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--show", action="store_true", help="print the answers for reading")
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    os.environ.setdefault("LECTERN_SEARCH_DEADLINE_MS", "60000")  # what is said counts, not how soon
    with ground.database(options.data):
        from config.celery import app

        app.conf.broker_url = "memory://"  # nobody hears what is sent to a worker
        for name, questions in QUESTIONS.items():
            rows |= _compare(name, questions, show=options.show)
    print(ground.table(rows, "question"))
    ground.write(rows, options.json)


def _compare(name: str, questions: dict[str, str], *, show: bool) -> dict[str, dict[str, Any]]:
    """Ask a tutor and a chatbot over the same handout, and return what they said to each question."""
    from chatbots.models import Chatbot
    from learning.models import StudyPlan
    from learning.planning.making import make_next_plan
    from learning.planning.services import create_plan
    from tests.factories import make_chatbot, make_member, make_message, make_school, personal_document

    member = make_member(make_school(name), "teacher")
    document = personal_document(member, (HANDOUTS / f"{name}.md").read_text(), f"{name}.md")
    language = name.rpartition(".")[2]
    plan = create_plan(member=member, title=name, documents=[document.pk], language=language, tutor_style="hints")
    make_next_plan()
    tutor = Chatbot.objects.get(pk=StudyPlan.objects.get(pk=plan.pk).tutor_id)
    chatbot = make_chatbot(member, personal=[document], language=language)
    rows: dict[str, dict[str, Any]] = {}
    for question, wanted in questions.items():
        hint = make_message(member, tutor, question)
        again = make_message(member, tutor, question, chat=hint.chat)
        plain = make_message(member, chatbot, question)
        if show:
            print(f"\n# {question}\n- hint: {hint.answer}\n- tutor: {again.answer}\n- chatbot: {plain.answer}")
        rows[question] = {
            "hint": "given" if wanted.casefold() not in hint.answer.casefold() else "tells",
            "tutor": wanted.casefold() in again.answer.casefold(),
            "chatbot": wanted.casefold() in plain.answer.casefold(),
        }
    return rows


if __name__ == "__main__":
    main()
