"""What pupils are told before they write: that a program answers, that it can be wrong, and who reads what they write
(EU AI Act, article 50). On pages in English, by the composer and in practice in the language of the chatbot."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils import formats

from chatbots.models import Language
from classrooms.flagging import get_settings
from classrooms.mails import has_lead
from classrooms.models import ClassLink, ClassroomSettings, OnConcern
from engines.llm import get_llm
from schools.models import School

_TEACHER = {
    Language.ENGLISH: "Your teacher can read what you write.",
    Language.GERMAN: "Deine Lehrkraft kann lesen, was du schreibst.",
    Language.FRENCH: "Ton enseignant ou ton enseignante peut lire ce que tu écris.",
    Language.SPANISH: "Tu profesor o profesora puede leer lo que escribes.",
}
_OTHERS = {
    Language.ENGLISH: "Your teacher can read what you write, and in some cases others at your school.",
    Language.GERMAN: "Deine Lehrkraft kann lesen, was du schreibst, in manchen Fällen auch andere an deiner Schule.",
    Language.FRENCH: "Ton enseignant ou ton enseignante peut lire ce que tu écris, et dans certains cas d’autres "
    "personnes de ton école.",
    Language.SPANISH: "Tu profesor o profesora puede leer lo que escribes y, en algunos casos, otras personas de tu "
    "centro.",
}
_CHECKS = {
    Language.ENGLISH: "makes the questions and checks your answers. It can be wrong.",
    Language.GERMAN: "stellt die Fragen und prüft deine Antworten. Es kann sich irren.",
    Language.FRENCH: "pose les questions et vérifie tes réponses. Il peut se tromper.",
    Language.SPANISH: "hace las preguntas y comprueba tus respuestas. Puede equivocarse.",
}
_PROGRAM = {
    Language.ENGLISH: ("A program", "A language model"),
    Language.GERMAN: ("Ein Programm", "Ein Sprachmodell"),
    Language.FRENCH: ("Un programme", "Un modèle de langage"),
    Language.SPANISH: ("Un programa", "Un modelo de lenguaje"),
}


def disclose_readers(school: School, language: str) -> str:
    """Say by the composer who reads what a pupil writes. `list_facts` says who the others are."""
    has_others = settings.LECTERN_QUESTION_LOG_DAYS or get_settings(school).on_concern != OnConcern.OFF
    return (_OTHERS if has_others else _TEACHER)[Language(language)]


def disclose_practice(school: School, language: str) -> str:
    """Say in practice what asks and checks, and who reads."""
    chosen = Language(language)
    program = _PROGRAM[chosen][get_llm().generative]
    return f"{program} {_CHECKS[chosen]} {disclose_readers(school, language)}"


@dataclass(frozen=True)
class SchoolRules:
    """What a school has decided of which pupils are told."""

    settings: ClassroomSettings
    has_lead: bool


def read_rules(school: School) -> SchoolRules:
    """Read what a school has decided, once for all of its classes."""
    return SchoolRules(get_settings(school), has_lead(school))


def list_facts(link: ClassLink, rules: SchoolRules | None = None) -> list[str]:
    """Say at the door of a class, on its pages, on paper and by API what pupils should know before they write.

    The last fact says when it is erased.
    """
    rules = rules or read_rules(link.school)
    if get_llm().generative:
        facts = ["A program answers you, not a person: a language model writes from what your teacher chose."]
        facts.append("It can be wrong, even when it sounds sure.")
    else:
        facts = ["A program answers you, not a person: it picks sentences from what your teacher chose."]
        facts.append("It can pick the wrong ones.")
    sees = "and sees what you practise" if rules.settings.allows_practice else ""
    facts.append(f"Your teacher can read what you write and the answers{', ' if sees else ''}{sees}.")
    if rules.settings.on_concern != OnConcern.OFF:
        who = "the safeguarding lead" if rules.has_lead else "an admin"
        facts.append(f"If somebody may be in danger, {who} of your school can read it, too.")
    if settings.LECTERN_QUESTION_LOG_DAYS:
        facts.append("The admins of your school can read it without names.")
    if link.notes_names:
        facts.append("Your teacher may note who is behind which name.")
    facts.append("Don’t write your name, address or phone number.")
    facts.append(
        f"Everything is erased on {formats.date_format(link.erased_at, 'j F Y')}. "
        "Only what may mean danger stays longer, until somebody at your school has looked at it."
    )
    return facts
