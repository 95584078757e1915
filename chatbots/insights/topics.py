"""What a school’s chatbots could not answer, for those who buy books: topics, never a question and never a person.

A topic is a word, under a subject of the library where there is one. ADR 13 says what is let through and why.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.utils import timezone

from chatbots.citations.entities import entities_of
from chatbots.models import Message, MessageStatus, Mode
from corpus.search.language import CONFIGURATIONS
from engines.function_words import FUNCTION_WORDS
from engines.words import Stems
from school_library.models import SchoolChunk, SchoolDocument
from schools.models import Membership, School

MONTHS = 3
"""Whole months that are looked at. The one that runs is not: a list that changed from day to day would tell when."""
PEOPLE = 3
"""So many different people must have asked about a topic. With two, the one could tell the other."""
SCHOOL = 6
"""So many people must have asked anything at all. With fewer, "three of us" would be half of them."""
MOST = 40
"""Topics that are listed."""

_BANDS = (100, 50, 20, 10, 5, 3)
_WORD = re.compile(r"[^\W\d_]{3,40}")
_PART = re.compile(r"[\w@.+-]*[\d@_][\w@.+-]*")  # codes, addresses and whatever has a figure in it


@dataclass(frozen=True)
class Topic:
    """A word that several people’s unanswered questions had, and in how many of these it stood, at least."""

    word: str
    at_least: int


@dataclass(frozen=True)
class Subject:
    """A subject of the library, or none, with its unanswered questions and what they were about."""

    name: str
    at_least: int
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class Lacking:
    """What the school’s library lacks, between two days; `is_too_small` where nobody may be told anything."""

    since: date
    until: date
    is_too_small: bool = False
    subjects: tuple[Subject, ...] = ()


@dataclass
class _Asked:
    """One unanswered question: whose, of which subject, and its words by their stems, as they were written."""

    person: UUID
    subject: str
    words: Mapping[str, str]


@dataclass
class _Use:
    """Who used a word, who of them in lower case, in how many questions, and how it was written by whom."""

    people: set[UUID] = field(default_factory=set)
    in_lower_case: set[UUID] = field(default_factory=set)
    questions: int = 0
    forms: dict[str, set[UUID]] = field(default_factory=lambda: defaultdict(set))

    @property
    def form(self) -> str:
        """How most people wrote it. As one person did who asked often, it might be a name: “Mark” among “marks”."""
        return min(self.forms, key=lambda form: (-len(self.forms[form]), not form.islower(), form))


def lacking(school: School, today: date) -> Lacking:
    """What was asked in the whole months before this day and not answered, as topics."""
    since, until = _months(today)
    start, end = _midnight(since), _midnight(until)
    messages = Message.objects.for_school(school).filter(
        created_at__gte=start, created_at__lt=end, chat__deleted_at=None
    )
    if messages.order_by().values("chat__participant").distinct().count() < SCHOOL:
        return Lacking(since, until, is_too_small=True)
    refused = (
        messages.from_sources()
        .one_each()
        .filter(status=MessageStatus.DONE, mode=Mode.REFUSED, dismissed_at=None)
    )
    rows = refused.values_list(
        "chat__participant", "chat__chatbot__subject", "chat__chatbot__language", "question"
    )
    named = _subjects(school)
    people = _names(school, messages)
    asked = [
        _Asked(person, named.get(subject.strip().casefold(), ""), _words(question, language, people))
        for person, subject, language, question in rows
    ]
    return Lacking(since, until, subjects=tuple(_listed(school, asked)))


def _listed(school: School, asked: list[_Asked]) -> Iterable[Subject]:
    """Subjects with enough people, the most asked first; then what only reaches enough people across all of them."""
    is_known = _library_of(school)
    told: set[str] = set()
    subjects = []
    for name in sorted({one.subject for one in asked} - {""}):
        own = [one for one in asked if one.subject == name]
        if len({one.person for one in own}) >= PEOPLE:
            topics = _topics(own, is_known)
            told |= {stem for stem, _ in topics}
            subjects.append(Subject(name, _band(len(own)), tuple(topic for _, topic in topics)))
    subjects.sort(key=lambda subject: (-subject.at_least, subject.name))
    rest = [topic for stem, topic in _topics(asked, is_known) if stem not in told]
    if rest:
        subjects.append(Subject("", 0, tuple(rest)))
    return subjects


def _topics(asked: Iterable[_Asked], is_known: Any) -> list[tuple[str, Topic]]:
    """Words that enough people used: in lower case, as names are not written, or such as stand in the library."""
    used: dict[str, _Use] = defaultdict(_Use)
    for one in asked:
        for stem, word in one.words.items():
            use = used[stem]
            use.people.add(one.person)
            use.questions += 1
            use.forms[word].add(one.person)
            if word.islower():
                use.in_lower_case.add(one.person)
    enough = sorted(
        ((stem, use) for stem, use in used.items() if len(use.people) >= PEOPLE),
        key=lambda pair: (-pair[1].questions, pair[0]),
    )
    allowed = [
        (stem, Topic(use.form, _band(use.questions)))
        for stem, use in enough
        if len(use.in_lower_case) >= PEOPLE or is_known(use.forms)
    ]
    return allowed[:MOST]


def _words(question: str, language: str, names: frozenset[str]) -> dict[str, str]:
    """The words of a question by their stems: without numbers, codes, names, and words that say nothing."""
    text = list(question)
    for found in entities_of(question, language):
        text[found.start : found.end] = " " * (found.end - found.start)
    plain = _PART.sub(" ", "".join(text))
    stemmer, empty = Stems(language), FUNCTION_WORDS.get(language[:2], frozenset())
    words: dict[str, str] = {}
    for word in _WORD.findall(plain):
        if word.casefold() not in names and word.lower() not in empty:
            for stem in stemmer.of(word):
                words.setdefault(stem, word)
    return words


def _subjects(school: School) -> dict[str, str]:
    """The subjects of the published library, which anybody may read; a chatbot’s own subject is its teacher’s."""
    named = SchoolDocument.objects.for_school(school).published().exclude(subject="")
    return {
        subject.strip().casefold(): subject for subject in named.values_list("subject", flat=True).distinct()
    }


def _names(school: School, messages: Any) -> frozenset[str]:
    """All parts of the names of the school’s people, and of those who asked and have left."""
    members = Membership.objects.for_school(school).values_list("known_as", "user__name", "user__email")
    asking = (
        messages.order_by()
        .values_list("chat__participant__user__name", "chat__participant__user__email")
        .distinct()
    )
    texts = [text for row in (*members, *asking) for text in row]
    return frozenset(part.casefold() for text in texts for part in re.findall(r"[^\W\d_]+", text or ""))


def _library_of(school: School) -> Any:
    """A test whether a word stands in the published library, in whichever language."""
    chunks = SchoolChunk.objects.filter(school=school, document__is_published=True)
    languages = set(chunks.order_by().values_list("language", flat=True).distinct()[:10]) & set(
        CONFIGURATIONS.values()
    )
    known: dict[str, bool] = {}

    def is_known(forms: Iterable[str]) -> bool:
        word = min(forms)
        if word not in known:
            queries = [SearchQuery(word, config=language) for language in sorted(languages)]
            known[word] = any(
                chunks.filter(language=language, search=query).exists()
                for language, query in zip(sorted(languages), queries, strict=True)
            )
        return known[word]

    return is_known


def _band(count: int) -> int:
    """A count so rounded down that one question more is hardly ever seen."""
    return next((band for band in _BANDS if count >= band), PEOPLE)


def _months(today: date) -> tuple[date, date]:
    """The first day of the months looked at, and the day after the last."""
    until = today.replace(day=1)
    months = until.year * 12 + until.month - 1 - MONTHS
    return date(months // 12, months % 12 + 1, 1), until


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
