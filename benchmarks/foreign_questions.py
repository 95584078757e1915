"""Questions in another language than the documents: is the right passage among the five places?

    python -m benchmarks.foreign_questions [--data DIRECTORY] [--json FILE]

Thirty questions of benchmarks.demo_questions, put in German, French and Spanish, go to the chatbots of the demo, and
ten English ones to texts in these languages. Each is asked as a person asks it, all the way to the answer: "quoted" is
whether the answer has the phrase that is asked for. The demo's questions are asked in English, too. Then they all go to
a chatbot that reads something else. Last, one question in each language that no document answers has to be refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.demo_questions import QUESTIONS
from benchmarks.ground import database, options, table, write

if TYPE_CHECKING:
    from chatbots.models import Chatbot, Message
    from schools.models import Membership

FOREIGN = {
    "de": {
        "When do pupils have to wear goggles?": "Wann müssen die Schüler eine Schutzbrille tragen?",
        "A pupil got something in the eye. How long do we rinse?": "Ein Schüler hat etwas ins Auge bekommen. Wie lange"
        " spülen wir?",
        "Which groups sit near the eyewash and why?": "Welche Gruppen sitzen neben der Augendusche und warum?",
        "What is the spring constant of the green springs in S3?": "Welche Federkonstante haben die grünen Federn in"
        " S3?",
        "How does the braking distance change when the speed doubles?": "Wie ändert sich der Bremsweg, wenn sich die"
        " Geschwindigkeit verdoppelt?",
        "Why do we earth a metal case?": "Warum wird ein Gehäuse aus Metall geerdet?",
        "When did the railway reach Kelbourne?": "Wann erreichte die Eisenbahn Kelbourne?",
        "How much did the company borrow after the flood?": "Wie viel Geld lieh sich die Gesellschaft nach dem"
        " Hochwasser?",
        "Where do pupils keep their phones?": "Wo bewahren die Schüler ihre Handys auf?",
        "How hot may the thiosulfate get?": "Wie heiß darf das Thiosulfat werden?",
    },
    "fr": {
        "How strong may the hydrochloric acid be in my year 9 lesson?": "Quelle peut être la concentration de l’acide"
        " chlorhydrique dans mon cours de 9e ?",
        "What do I do about a small spill of dilute acid?": "Que faire si un peu d’acide dilué est renversé ?",
        "What colour is phenolphthalein in alkali?": "De quelle couleur est la phénolphtaléine dans une base ?",
        "What is acceleration?": "Qu’est-ce que l’accélération ?",
        "What is the specific heat capacity of copper?": "Quelle est la capacité thermique massique du cuivre ?",
        "How does a vacuum flask keep tea hot?": "Comment une bouteille isotherme garde-t-elle le thé chaud ?",
        "How high did the river rise in the flood?": "De combien la rivière est-elle montée pendant l’inondation ?",
        "How much were the women in the sail loft paid?": "Combien les femmes de la voilerie étaient-elles payées ?",
        "How many required practicals are there in year 10?": "Combien de travaux pratiques obligatoires y a-t-il en"
        " année 10 ?",
        "How long is an eye rinsed?": "Combien de temps faut-il rincer un œil ?",
    },
    "es": {
        "Do I pour the acid into the water or the water into the acid?": "¿Se echa el ácido al agua o el agua al"
        " ácido?",
        "How many grams of sodium hydroxide are in a litre of 0.4 mol/l solution?": "¿Cuántos gramos de hidróxido de"
        " sodio hay en un litro de disolución de 0,4 mol/l?",
        "What is LS-09 about?": "¿De qué trata LS-09?",
        "What does a flat line on a velocity–time graph mean?": "¿Qué significa una línea plana en una gráfica de"
        " velocidad y tiempo?",
        "When is the revision clinic before the test?": "¿Cuándo es la sesión de repaso antes del examen?",
        "How do I calculate the wavelength of a radio station?": "¿Cómo se calcula la longitud de onda de una emisora"
        " de radio?",
        "Why did Martha Fell refuse sugar?": "¿Por qué rechazó Martha Fell el azúcar?",
        "When is the river walk and where do we meet?": "¿Cuándo es el paseo por el río y dónde quedamos?",
        "How strong may acids be in year 8?": "¿Qué concentración pueden tener los ácidos en el curso 8?",
        "By when do pupils choose separate sciences?": "¿Hasta cuándo pueden elegir los alumnos ciencias separadas?",
    },
}
"""Questions of QUESTIONS in other languages, by language."""

TEXTS = {
    "de": """# Werkstattordnung

## Kleidung

In der Werkstatt trägt jede Person eine Schürze und feste Schuhe. Lange Haare werden mit einem Gummi gebunden.

## Sägen

Die große Kreissäge bedient nur die Lehrkraft. Schüler dürfen ab der Klasse 8 mit der Laubsäge arbeiten.

## Holz

Jede Gruppe bekommt drei Bretter aus Fichte. Reste kommen in die blaue Kiste neben dem Fenster.

## Unfälle

Bei einer Verletzung wird sofort das Sekretariat angerufen. Der Verbandskasten hängt an der Tür zum Flur.
""",
    "fr": """# Le jardin du collège

## Arrosage

Les plantes sont arrosées le mardi et le vendredi, toujours avant huit heures du matin. L’eau vient de la citerne.

## Abeilles

Les deux ruches se trouvent derrière le gymnase. Personne ne s’approche sans voile ni gants.

## Récolte

Les tomates sont cueillies en septembre et vendues au marché. L’argent paie les graines de l’année suivante.
""",
    "es": """# El viaje al observatorio

## Salida

El autobús sale el jueves 14 de mayo a las ocho de la tarde desde la puerta del instituto.

## Telescopio

El telescopio grande tiene un espejo de dos metros y pesa cinco toneladas. Los planetas se ven mejor sin luna.

## Precio

El viaje cuesta 12 euros e incluye la cena. Cada alumno lleva ropa de abrigo y una linterna roja.
""",
}
"""A text of each language, as Markdown."""

ENGLISH = {
    "de": {
        "What do people have to wear in the workshop?": "trägt jede Person eine Schürze",
        "From which class may pupils work with the saw?": "dürfen ab der Klasse 8",
        "How many boards of wood does each group get?": "drei Bretter aus Fichte",
        "What do we do after an injury?": "sofort das Sekretariat angerufen",
    },
    "fr": {
        "When are the plants watered?": "arrosées le mardi et le vendredi",
        "Where are the bees?": "derrière le gymnase",
        "What is the money from the harvest used for?": "L’argent paie les graines",
    },
    "es": {
        "When does the bus leave?": "jueves 14 de mayo",
        "How large is the mirror of the telescope?": "espejo de dos metros",
        "How much does the trip cost?": "cuesta 12 euros",
    },
}
"""English questions on these texts and phrases of the passages that answer them."""

UNANSWERABLE = {
    "de": ("Physics tutor", "Wer hat die Decke der Sixtinischen Kapelle gemalt?"),
    "fr": ("Chemistry 9 helper", "Qui a gagné la coupe du monde de football en 1966 ?"),
    "es": ("Local history guide", "¿Cuál es la capital de Mongolia?"),
}
"""Questions that the documents of a chatbot of the demo do not answer."""


@dataclass(frozen=True)
class Asked:
    """One question: whether the right passage was found, and the answer."""

    text: str
    found: bool
    quoted: bool
    refused: bool


def main() -> None:
    parser = options(__doc__)
    chosen = parser.parse_args()
    with database(chosen.data):
        from django.core.management import call_command

        call_command("load_demo")
        asked: dict[str, list[Asked]] = {"the demo’s questions in English": list(_demo(None))}
        asked |= {f"{language} to English": list(_demo(language)) for language in FOREIGN}
        asked |= {f"English to {language}": list(_texts(language)) for language in TEXTS}
        elsewhere = {f"{language or 'en'} to another chatbot": _elsewhere(language) for language in ("", *FOREIGN)}
        refusals = [_refused(language) for language in UNANSWERABLE]
    for name, group in asked.items():
        for one in group:
            print(f"{name}: {one.text} ({one.found:d} {one.quoted:d})")
    rows = {name: measures(group) for name, group in asked.items()}
    print(f"\n{table(rows, 'questions')}\n")
    print(f"{table(elsewhere, 'questions')}\n")
    print("\n".join(refusals))
    write({"questions": rows, "to another chatbot": elsewhere, "refusals": refusals}, chosen.json)


def measures(asked: Sequence[Asked]) -> dict[str, Any]:
    """How many questions had the right passage, were answered with the phrase, or were refused."""
    return {
        "questions": len(asked),
        "right passage": sum(one.found for one in asked),
        "answer quoted": sum(one.quoted for one in asked),
        "refused": sum(one.refused for one in asked),
    }


def _demo(language: str | None) -> Iterator[Asked]:
    """The demo's questions in a language; those of all languages in English if it is None."""
    from chatbots.models import Chatbot

    wanted = FOREIGN[language] if language else {text: text for group in FOREIGN.values() for text in group}
    for name, questions in QUESTIONS.items():
        chatbot = Chatbot.objects.select_related("school", "owner").filter(name=name).first()
        assert chatbot is not None
        for question in questions:
            if question.text in wanted:
                yield _ask(chatbot, wanted[question.text], question.phrase)


def _elsewhere(language: str) -> dict[str, Any]:
    """The demo's questions to a chatbot that reads something else, in a language or, if it is empty, in English."""
    from chatbots.models import Chatbot, Mode

    wanted = FOREIGN[language] if language else {text: text for group in FOREIGN.values() for text in group}
    refused = []
    for name, questions in QUESTIONS.items():
        is_science = name in ("Chemistry 9 helper", "Science helper", "Physics tutor")
        other = "Local history guide" if is_science else "Physics tutor"
        chatbot = Chatbot.objects.select_related("school", "owner").get(name=other)
        texts = [wanted[question.text] for question in questions if question.text in wanted]
        refused += [_answered(chatbot, text).mode == Mode.REFUSED for text in texts]
    return {"questions": len(refused), "refused": sum(refused)}


def _texts(language: str) -> Iterator[Asked]:
    chatbot = _chatbot_on(language)
    for question, phrase in ENGLISH[language].items():
        yield _ask(chatbot, question, phrase)


def _chatbot_on(language: str) -> Chatbot:
    """A chatbot of a school of its own that reads the text of a language, beside the others."""
    from django.core.files.base import ContentFile

    from chatbots.models import Chatbot
    from chatbots.services import set_school_documents
    from corpus.ingestion.indexing import index_next_document
    from school_library import services
    from school_library.models import SchoolDocument
    from schools.models import Membership, Role, School, User

    school, is_new = School.objects.get_or_create(name=f"Texts {language}", slug=f"texts-{language}")
    if is_new:
        user = User.objects.create(email=f"teacher@texts-{language}.example", name="Benchmark")
        member = Membership.objects.create(school=school, user=user, role=Role.ADMIN)
        document, _ = services.upload(member=member, file=ContentFile(TEXTS[language].encode(), name="text.md"))
        while index_next_document(SchoolDocument.objects.all()):
            pass
        chatbot = Chatbot.objects.create(school=school, owner=user, name="Texts")
        set_school_documents(chatbot=chatbot, member=member, documents=[document.pk])
    return Chatbot.objects.select_related("school", "owner").get(school=school)


def _member(chatbot: Chatbot) -> Membership:
    from schools.models import Membership

    return Membership.objects.select_related("school", "user").get(school=chatbot.school, user=chatbot.owner)


def _answered(chatbot: Chatbot, question: str) -> Message:
    from chatbots.conversations.asking import ask
    from chatbots.conversations.audience import MemberPolicy
    from chatbots.streaming import jobs

    message = ask(policy=MemberPolicy(_member(chatbot)), chatbot=chatbot, question=question)
    jobs.start(message).wait()
    message.refresh_from_db()
    return message


def _ask(chatbot: Chatbot, question: str, phrase: str) -> Asked:
    from chatbots.models import Mode

    message = _answered(chatbot, question)
    return Asked(
        text=question,
        found=any(phrase in source.text for source in message.sources.all()),
        quoted=_plain(phrase) in _plain(message.answer),
        refused=message.mode == Mode.REFUSED,
    )


def _refused(language: str) -> str:
    """How a question without an answer ends."""
    from chatbots.answering.explanations import find_closest
    from chatbots.models import Chatbot

    name, question = UNANSWERABLE[language]
    chatbot = Chatbot.objects.select_related("school", "owner").get(name=name)
    message = _answered(chatbot, question)
    near = find_closest(message.chosen)
    return f"{language}: {question} → {message.mode}; {message.notice}; closest: {near.title if near else '-'}"


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


if __name__ == "__main__":
    main()
