"""Topics that a school’s chatbots could not answer, for admins: never a question, never a person.

A topic is a word, grouped by subjects of the library. ADR 13 says which words may be shown and why.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.utils import timezone

from chatbots.citations.entities import entities_of
from chatbots.models import Message, MessageStatus, Mode
from school_library.models import SchoolChunk, SchoolDocument
from schools.models import Membership, School
from text.function_words import function_words
from text.languages import CONFIGURATIONS
from text.stemming import stems

MONTHS = 3
"""Whole months before the current one. The current month is left out: daily changes would reveal when people asked."""
MIN_PEOPLE_PER_TOPIC = 3
"""People who must have asked about a topic. With two, each would know who the other is."""
MIN_PEOPLE = 6
"""People who must have asked anything at all. With fewer, three people would be more than half of them."""
MAX_TOPICS = 40

_BANDS = (100, 50, 20, 10, 5, 3)
_WORD = re.compile(r"[^\W\d_]{3,40}")
_CODE = re.compile(r"[\w@.+-]*[\d@_][\w@.+-]*")  # codes, addresses and anything with a digit


@dataclass(frozen=True)
class Topic:
    """A word in several people’s unanswered questions, and the least number of these questions."""

    word: str
    at_least: int


@dataclass(frozen=True)
class SubjectGaps:
    """The topics of one subject of the library, or without a subject, and the least number of questions."""

    name: str
    at_least: int
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class LibraryGaps:
    """What the library lacks in [since, until). `is_too_small`: too few people asked to show anything."""

    since: date
    until: date
    is_too_small: bool = False
    subjects: tuple[SubjectGaps, ...] = ()


@dataclass
class _Refused:
    """One unanswered question: the person, the subject, and its words as written, by stem."""

    person: UUID
    subject: str
    words: Mapping[str, str]


@dataclass
class _WordUse:
    """Who used a word, who wrote it in lower case, in how many questions, and the people by spelling."""

    people: set[UUID] = field(default_factory=set)
    in_lower_case: set[UUID] = field(default_factory=set)
    questions: int = 0
    forms: dict[str, set[UUID]] = field(default_factory=lambda: defaultdict(set))

    @property
    def form(self) -> str:
        """The spelling of most people. Counting questions, one frequent asker’s “Mark” could win over “marks”."""
        return min(self.forms, key=lambda form: (-len(self.forms[form]), not form.islower(), form))


def find_library_gaps(school: School, today: date) -> LibraryGaps:
    """The topics of unanswered questions in the whole months before this day."""
    since, until = _months(today)
    start, end = _midnight(since), _midnight(until)
    messages = Message.objects.for_school(school).filter(
        created_at__gte=start,
        created_at__lt=end,
        chat__deleted_at=None,
        chat__chatbot__deleted_at=None,
        chat__participant__user__isnull=False,  # one pupil may join as several
    )
    if messages.order_by().values("chat__participant").distinct().count() < MIN_PEOPLE:
        return LibraryGaps(since, until, is_too_small=True)
    refused = (
        messages.about_all_sources().one_each().filter(status=MessageStatus.DONE, mode=Mode.REFUSED, dismissed_at=None)
    )
    rows = refused.values_list("chat__participant", "chat__chatbot__subject", "chat__chatbot__language", "question")
    named = _subjects(school)
    people = _names(school, messages)
    asked = [
        _Refused(person, named.get(subject.strip().casefold(), ""), _words(question, language, people))
        for person, subject, language, question in rows
    ]
    return LibraryGaps(since, until, subjects=tuple(_by_subject(school, asked)))


def _by_subject(school: School, asked: list[_Refused]) -> Iterable[SubjectGaps]:
    """Subjects with enough people, the most asked first; then topics that reach enough people only across subjects."""
    is_known = _library_lookup(school)
    listed: set[str] = set()
    subjects = []
    for name in sorted({one.subject for one in asked} - {""}):
        own = [one for one in asked if one.subject == name]
        if len({one.person for one in own}) >= MIN_PEOPLE_PER_TOPIC:
            topics = _topics(own, is_known)
            listed |= {stem for stem, _ in topics}
            subjects.append(SubjectGaps(name, _band(len(own)), tuple(topic for _, topic in topics)))
    subjects.sort(key=lambda subject: (-subject.at_least, subject.name))
    rest = [topic for stem, topic in _topics(asked, is_known) if stem not in listed]
    if rest:
        subjects.append(SubjectGaps("", 0, tuple(rest)))
    return subjects


def _topics(asked: Iterable[_Refused], is_known: Any) -> list[tuple[str, Topic]]:
    """(stem, topic) of words that enough people used and that are no names: in lower case, or found in the library."""
    used: dict[str, _WordUse] = defaultdict(_WordUse)
    for one in asked:
        for stem, word in one.words.items():
            use = used[stem]
            use.people.add(one.person)
            use.questions += 1
            use.forms[word].add(one.person)
            if word.islower():
                use.in_lower_case.add(one.person)
    enough = sorted(
        ((stem, use) for stem, use in used.items() if len(use.people) >= MIN_PEOPLE_PER_TOPIC),
        key=lambda pair: (-pair[1].questions, pair[0]),
    )
    allowed = [
        (stem, Topic(use.form, _band(use.questions)))
        for stem, use in enough
        if len(use.in_lower_case) >= MIN_PEOPLE_PER_TOPIC or is_known(use.forms)
    ]
    return allowed[:MAX_TOPICS]


def _words(question: str, language: str, names: frozenset[str]) -> dict[str, str]:
    """The words of a question by stem, without numbers, codes, names and function words."""
    text = list(question)
    for found in entities_of(question, language):
        text[found.start : found.end] = " " * (found.end - found.start)
    plain = _CODE.sub(" ", "".join(text))
    empty = function_words(language)
    words: dict[str, str] = {}
    for word in _WORD.findall(plain):
        if word.casefold() not in names and word.lower() not in empty:
            for stem in stems(word, language):
                words.setdefault(stem, word)
    return words


def _subjects(school: School) -> dict[str, str]:
    """The subjects of the published library by case-folded name. A chatbot’s own subject is private and not shown."""
    named = SchoolDocument.objects.for_school(school).published().exclude(subject="")
    return {subject.strip().casefold(): subject for subject in named.values_list("subject", flat=True).distinct()}


def _names(school: School, messages: Any) -> frozenset[str]:
    """All parts of the names of the school’s members, and of former members who asked."""
    members = Membership.objects.for_school(school).values_list("known_as", "user__name", "user__email")
    asking = (
        messages.order_by().values_list("chat__participant__user__name", "chat__participant__user__email").distinct()
    )
    texts = [text for row in (*members, *asking) for text in row]
    return frozenset(part.casefold() for text in texts for part in re.findall(r"[^\W\d_]+", text or ""))


def _library_lookup(school: School) -> Any:
    """A function that tells whether a word occurs in the published library, in any language."""
    chunks = SchoolChunk.objects.filter(school=school, document__is_published=True)
    languages = set(chunks.order_by().values_list("language", flat=True).distinct()[:10]) & set(CONFIGURATIONS.values())

    @cache
    def occurs(word: str) -> bool:
        return any(
            chunks.filter(language=language, search=SearchQuery(word, config=language)).exists()
            for language in sorted(languages)
        )

    return lambda forms: occurs(min(forms))


def _band(count: int) -> int:
    """A count rounded down to a band, so that a single question hardly ever changes it."""
    return next((band for band in _BANDS if count >= band), MIN_PEOPLE_PER_TOPIC)


def _months(today: date) -> tuple[date, date]:
    """[first day, day after the last day) of the months."""
    until = today.replace(day=1)
    months = until.year * 12 + until.month - 1 - MONTHS
    return date(months // 12, months % 12 + 1, 1), until


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
