"""Topics that a school’s chatbots could not answer, for admins: never a question, never a person.

A topic is a word that several people wrote in lower case, so no name. ADR 13 says which words may be shown and why.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time
from uuid import UUID

from django.utils import timezone

from chatbots.models import Message, MessageQuerySet, MessageStatus, Mode
from school_library.models import SchoolDocument
from schools.models import Membership, School
from text.function_words import function_words

MONTHS = 3
"""Whole months before the current one. The current month is left out: daily changes would reveal when people asked."""
MIN_PEOPLE_PER_TOPIC = 3
"""People who must have asked about a topic. With two, each would know who the other is."""
MIN_PEOPLE = 6
"""People who must have asked anything at all. With fewer, three people would be more than half of them."""
MAX_TOPICS = 40

_WORD = re.compile(r"(?<![\w@.+-])[^\W\d_]{3,40}(?![\w@+-]|\.\w)")  # no part of a code or an address
_NAME_PART = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class LibraryGaps:
    """What the library lacks in [since, until). `is_too_small`: too few people asked to show anything.

    `subjects` has words by subject of the library, the most asked first; under "" those that reach enough people only
    across subjects.
    """

    since: date
    until: date
    is_too_small: bool = False
    subjects: tuple[tuple[str, tuple[str, ...]], ...] = ()


def find_library_gaps(school: School, today: date) -> LibraryGaps:
    """Find the topics of unanswered questions in the whole months before this day."""
    since, until = _months(today)
    messages = Message.objects.for_school(school).filter(
        created_at__gte=_midnight(since),
        created_at__lt=_midnight(until),
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
    subjects, names = _subjects(school), _names(school, messages)
    people: dict[str, dict[str, set[UUID]]] = defaultdict(lambda: defaultdict(set))
    for person, subject, language, question in rows:
        for word in set(_WORD.findall(question)) - function_words(language):
            if word.islower() and word.casefold() not in names:
                people[""][word].add(person)
                people[subjects.get(subject.strip().casefold(), "")][word].add(person)
    topics = {subject: _topics(words) for subject, words in sorted(people.items()) if subject}
    listed = {word for words in topics.values() for word in words}
    topics[""] = tuple(word for word in _topics(people[""]) if word not in listed)
    return LibraryGaps(since, until, subjects=tuple((name, words) for name, words in topics.items() if words))


def _topics(words: dict[str, set[UUID]]) -> tuple[str, ...]:
    """Return the words of enough people, those of most people first."""
    enough = {word: len(people) for word, people in words.items() if len(people) >= MIN_PEOPLE_PER_TOPIC}
    return tuple(sorted(enough, key=lambda word: (-enough[word], word))[:MAX_TOPICS])


def _subjects(school: School) -> dict[str, str]:
    """The subjects of the published library by case-folded name. A chatbot’s own subject is private and not shown."""
    named = SchoolDocument.objects.for_school(school).published().exclude(subject="")
    return {subject.strip().casefold(): subject for subject in named.values_list("subject", flat=True).distinct()}


def _names(school: School, messages: MessageQuerySet) -> set[str]:
    """All parts of the names of the school’s members, and of former members who asked."""
    members = Membership.objects.for_school(school).values_list("known_as", "user__name", "user__email")
    asking = messages.order_by().values_list("chat__participant__user__name", "chat__participant__user__email")
    texts: Iterable[str | None] = (text for row in (*members, *asking.distinct()) for text in row)
    return {part.casefold() for text in texts for part in _NAME_PART.findall(text or "")}


def _months(today: date) -> tuple[date, date]:
    """[first day, day after the last day) of the months."""
    until = today.replace(day=1)
    months = until.year * 12 + until.month - 1 - MONTHS
    return date(months // 12, months % 12 + 1, 1), until


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
