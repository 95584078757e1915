"""Look for the school's words of concern in what pupils ask and are answered, before it is shown.

Words judge nobody: what follows is a setting of the school. Attempts to get around the instructions count only when
they are repeated, since a single one is a child trying something out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from chatbots.models import Language, Message, Mode
from classrooms.concern import replies
from classrooms.concern.checking import Finding, find_listed_words, load_default
from classrooms.models import ClassroomSettings, Concern, Flag, OnConcern, Pupil
from classrooms.models.concern import FlagQuerySet
from schools.models import Membership, School

REPEATED = 3
"""Questions of a pupil within a day that try to get around the instructions, before that is told."""
CARE = (Concern.SELF_HARM, Concern.ABUSE)
"""A question in which this is found is not answered: the pupil reads words of help, first and only."""
HIDES_ANSWER = Q(is_of_answer=True, was_held=True) | Q(is_of_answer=False, category__in=CARE)
"""Flags for which pupils do not see an answer."""


@dataclass(frozen=True)
class Care:
    """What a pupil is offered beside an answer. `words` are empty where the answer is replaced by them already."""

    is_needed: bool
    words: str = ""


def get_settings(school: School) -> ClassroomSettings:
    """The school's settings, or what counts without a row."""
    return ClassroomSettings.objects.filter(school=school).first() or ClassroomSettings(school=school)


def list_phrases(settings: ClassroomSettings) -> dict[str, list[str]]:
    """Return the words and phrases of a school by category, or those that Lectern brings where it lists none."""
    return load_default() | {category: phrases for category, phrases in settings.concern_words.items() if phrases}


def get_help_words(school: School, language: str) -> str:
    """The school's words of help, or the default ones in a language."""
    return get_settings(school).help_words.strip() or replies.HELP.get(language, replies.HELP["en"])


def get_held_words(school: School, categories: Collection[str], language: str, *, is_of_answer: bool = False) -> str:
    """What a pupil reads instead of something that is held back, in which this was found."""
    if any(one in categories for one in CARE):
        return get_help_words(school, language)
    return replies.get_held_back_words(categories, language, is_of_answer=is_of_answer)


def find_held_words(message: Message) -> str:
    """What a pupil reads instead of an answer: it is held back, or help comes first; empty for any other."""
    hiding = list_flags(message).filter(HIDES_ANSWER).values_list("category", flat=True)
    return get_held_words(message.school, list(hiding), _language(message), is_of_answer=True) if hiding else ""


def find_care(message: Message) -> Care:
    """The words of help for the pupil who asked this, and whether telling the teacher is offered."""
    found = list_flags(message).filter(category__in=CARE)
    if not found.exists():
        return Care(is_needed=False)
    has_words = found.filter(Q(was_held=True) | Q(is_of_answer=False)).exists()
    return Care(is_needed=True, words="" if has_words else get_help_words(message.school, _language(message)))


def find_care_in_practice(pupil: Pupil, texts: Iterable[object], language: str) -> str:
    """The words of help for a pupil who wrote or read this in practice; empty where nothing calls for them."""
    practised = [text for text in texts if isinstance(text, str) and text]
    flags = Flag.objects.filter(pupil=pupil, practised__in=practised, category__in=CARE)
    return get_help_words(pupil.school, language) if flags.exists() else ""


def check_question(message: Message) -> str:
    """Check a question before it is answered. What the pupil reads instead of an answer, if it is held back."""
    settings = get_settings(message.school)
    if settings.on_concern == OnConcern.OFF:
        return ""
    findings = _skip_single_attempt(message, list_phrases(settings))
    categories = {one.category for one in findings} - {Concern.INSTRUCTIONS}
    is_held = bool(categories) if settings.on_concern == OnConcern.HOLD else not categories.isdisjoint(CARE)
    raise_flags(message, findings, is_held=is_held)
    return get_held_words(message.school, [one.category for one in findings], _language(message)) if is_held else ""


def check_answer(message: Message) -> None:
    """Check an answer to a pupil, in the transaction that ends it. What is held back is kept for the teacher."""
    settings = get_settings(message.school)
    if settings.on_concern == OnConcern.OFF or not message.answer or message.mode == Mode.REFUSED:
        return
    findings = [
        replace(one, is_of_answer=True)
        for one in find_listed_words(message.answer, list_phrases(settings))
        if one.category != Concern.INSTRUCTIONS
    ]
    with transaction.atomic():
        raise_flags(message, findings, is_held=settings.on_concern == OnConcern.HOLD)


def check_practised(pupil: Pupil, text: str, language: str, *, is_of_answer: bool = False) -> str:
    """Check what a pupil wrote in practice, or the feedback to it. The words instead, if it is held back."""
    settings = get_settings(pupil.school)
    if settings.on_concern == OnConcern.OFF or not text.strip():
        return ""
    findings = {one.category: one for one in find_listed_words(text, list_phrases(settings))}
    findings.pop(Concern.INSTRUCTIONS, None)
    needs_care = not is_of_answer and not findings.keys().isdisjoint(CARE)
    is_held = settings.on_concern == OnConcern.HOLD or needs_care
    for category, one in findings.items():
        row = {"school_id": pupil.school_id, "pupil": pupil, "practised": text, "category": category}
        if not Flag.objects.unseen().filter(**row).exists():  # else it was sent again
            fields = {"words": one.words[:500], "entry": one.entry, "was_held": is_held}
            Flag.objects.create(**row, **fields, is_of_answer=is_of_answer)
    return get_held_words(pupil.school, findings, language, is_of_answer=is_of_answer) if is_held and findings else ""


def is_held(message: Message) -> bool:
    """Whether pupils read words of help instead of the answer."""
    return list_flags(message).filter(HIDES_ANSWER).exists()


def may_be_held(message: Message) -> bool:
    """Whether pupils see nothing of an answer yet: it is not finished, and what is found in it will be held back."""
    return not message.is_finished and get_settings(message.school).on_concern == OnConcern.HOLD


def list_withheld_in(message: Message) -> set[UUID]:
    """The messages of a conversation of which something was held back, in the question or in the answer."""
    held = Flag.objects.filter(Q(was_held=True) | HIDES_ANSWER, message__chat=message.chat_id)
    return set(held.values_list("message", flat=True))


def list_flags(message: Message) -> FlagQuerySet:
    """What was found in an answer and in its question, also where the question is answered again."""
    return Flag.objects.filter(Q(message=message) | Q(message=message.first_id, is_of_answer=False))


def mark_seen(flag: Flag, *, is_seen: bool = True) -> bool:
    """Note that the teacher has looked at what was found, or has not after all. Whether that is new.

    One that an erased pupil has left goes, as soon as nobody waits for a mail.
    """
    rows = Flag.objects.filter(pk=flag.pk, seen_at__isnull=is_seen)
    is_new = bool(rows.update(seen_at=timezone.now() if is_seen else None))
    Flag.objects.settled().filter(pk=flag.pk).delete()
    return is_new


def _language(message: Message) -> str:
    chatbot = message.chat.chatbot
    return chatbot.language if chatbot else Language.ENGLISH


def _skip_single_attempt(message: Message, phrases: dict[str, list[str]]) -> list[Finding]:
    """Check a question, without attempts to get around the instructions unless these are repeated."""
    findings = find_listed_words(message.question, phrases)
    others = [one for one in findings if one.category != Concern.INSTRUCTIONS]
    if len(others) == len(findings):
        return findings
    since = timezone.now() - timedelta(days=1)
    mine = Message.objects.filter(chat__participant=message.chat.participant_id, created_at__gte=since)
    earlier = mine.exclude(pk=message.pk).order_by("-created_at").values_list("question", flat=True)[:20]
    attempts = {Concern.INSTRUCTIONS.value: phrases[Concern.INSTRUCTIONS]}
    tried = sum(
        any(one.category == Concern.INSTRUCTIONS for one in find_listed_words(text, attempts)) for text in earlier
    )
    return findings if 1 + tried >= REPEATED else others


def raise_flags(message: Message, findings: Iterable[Finding], *, is_held: bool = False) -> None:
    """Store what was found for the teacher, unless something of the same category is stored already."""
    rows = [
        Flag(
            school_id=message.school_id,
            pupil=message.chat.participant.pupil,
            message=message,
            category=one.category,
            is_of_answer=one.is_of_answer,
            words=one.words[:500],
            entry=one.entry,
            was_held=is_held and one.category != Concern.INSTRUCTIONS,
        )
        for one in findings
    ]
    Flag.objects.bulk_create(rows, ignore_conflicts=True)


@dataclass(frozen=True)
class Place:
    """The class in which something was found, also once it is erased, and the name of its teacher."""

    name: str
    teacher: str


def describe_class(flag: Flag) -> Place:
    """In which class, and whose it is or was."""
    return describe_classes([flag])[flag.pk]


def describe_classes(flags: Collection[Flag]) -> dict[UUID, Place]:
    """The same of several."""
    owners = {flag.link.owner_id for flag in flags if flag.link}
    people = Membership.objects.filter(user__in=owners, school__in={flag.school_id for flag in flags})
    names = {(one.school_id, one.user_id): one.name for one in people.select_related("user")}
    places = {}
    for flag in flags:
        if flag.handed:
            places[flag.pk] = Place(flag.handed["class"], flag.handed["teacher"])
        elif link := flag.link:
            teacher = names.get((link.school_id, link.owner_id)) or str(link.owner)
            places[flag.pk] = Place(link.name, teacher)
    return places


def describe_place(flag: Flag) -> str:
    """In which of the texts, in words."""
    if flag.handed:
        return str(flag.handed["place"])
    if flag.pupil is None:
        return "erased by the pupil"
    if flag.practised:
        return "in feedback to practice" if flag.is_of_answer else "in practice"
    return "in an answer" if flag.is_of_answer else "in a question"
