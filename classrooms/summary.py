"""A lesson in figures and topics: what was asked, what was not answered, and where pupils got stuck.

A topic is the innermost heading of the first passage that an answer cites, else the title of its document. It names no
pupil, and leaves out what a concern was found in.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from chatbots.models import Message, MessageStatus, Mode
from classrooms.models import ClassLink
from classrooms.transcripts import build_concern_filter, search_questions
from learning.material import Verdict
from learning.models import Attempt, ConceptProgress, ConceptSource, ReviewState
from learning.practice.progress import LearningState, get_state
from learning.practice.spaced_repetition import is_learnt
from learning.practice.statistics import Mistake, find_mistakes
from plugins import is_on

WEAK_FROM, MAX_WEAK_CONCEPTS = 3, 10


@dataclass
class TopicSummary:
    """Questions whose answers cite the same heading."""

    name: str
    document: str = ""
    messages: list[Message] = field(default_factory=list)
    pupils: set[object] = field(default_factory=set)

    @property
    def asked(self) -> int:
        return len(self.messages)

    @property
    def hands(self) -> int:
        """How often a pupil asked the teacher about an answer of this topic."""
        return sum(hasattr(one, "raised_hand") for one in self.messages)


@dataclass(frozen=True)
class WeakConcept:
    """A concept of a study plan that pupils of the class often got wrong."""

    name: str
    asked: int
    wrong: int


@dataclass
class Mastery:
    """A concept, and the pupils who practised it; or a pupil, and the concepts that they practised. By name: `known`
    are those that are learnt, `stuck` those of which most answers were wrong, or that were forgotten."""

    name: str
    practised: int = 0
    known: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class LessonSummary:
    """Of one day, or of all. `unanswered` are the refused questions."""

    asked: int
    pupils: int
    topics: list[TopicSummary]
    unanswered: list[Message]
    hands: int
    weak: list[WeakConcept]
    misconceptions: list[tuple[Mistake, ConceptSource | None]]
    left_out: int = 0
    """Questions in which a concern was found."""

    @property
    def answered(self) -> int:
        return self.asked - len(self.unanswered)


def summarise(link: ClassLink, *, on: date | None = None) -> LessonSummary:
    """The summary of a lesson, or of all lessons of a class: the topic with most questions first."""
    rows = search_questions(link, on=on)
    messages = list(rows.exclude(build_concern_filter())[:2000])  # the newest
    topics: dict[tuple[str, str], TopicSummary] = defaultdict(lambda: TopicSummary(""))
    unanswered: list[Message] = []
    for message in messages:
        if message.status == MessageStatus.DONE and message.mode == Mode.REFUSED:
            unanswered.append(message)
            continue
        cited = next((source for source in message.sources.all() if source.is_cited), None)
        path = [*cited.heading_path, ""] if cited else []
        name = next((heading for heading in reversed(path) if heading), cited.document_title if cited else "")
        topic = topics[(cited.document_title if cited else "", name)]
        topic.name, topic.document = name or "Without a source", cited.document_title if cited else ""
        topic.messages.append(message)
        topic.pupils.add(message.chat.participant_id)
    has_practice = is_on("learning")
    return LessonSummary(
        asked=len(messages),
        pupils=len({one.chat.participant_id for one in messages}),
        topics=sorted(topics.values(), key=lambda one: (-one.asked, one.name)),
        unanswered=unanswered,
        hands=sum(hasattr(one, "raised_hand") for one in messages),
        weak=weak_concepts(link, on=on) if has_practice else [],
        misconceptions=find_misconceptions(link, on=on) if has_practice else [],
        left_out=rows.filter(build_concern_filter()).count(),
    )


def weak_concepts(link: ClassLink, *, on: date | None = None) -> list[WeakConcept]:
    """Concepts of which at least a third of the answers in practice were not right, the worst first."""
    rows = _find_attempts(link, on).exclude(verdict=Verdict.UNSURE.value)
    counted = rows.values("question__concept__name").annotate(
        asked=Count("pk"), wrong=Count("pk", filter=~Q(verdict=Verdict.RIGHT.value))
    )
    found = [WeakConcept(row["question__concept__name"], row["asked"], row["wrong"]) for row in counted]
    weak = [one for one in found if one.wrong * WEAK_FROM >= one.asked and one.wrong]
    return sorted(weak, key=lambda one: (-one.wrong / one.asked, -one.asked, one.name))[:MAX_WEAK_CONCEPTS]


def list_mastery(link: ClassLink) -> tuple[list[Mastery], list[Mastery]]:
    """Return how far a class is: by concept of the plans that are open to it, in teaching order, and by pupil."""
    rows = ConceptProgress.objects.filter(
        participant__pupil__class_link=link, attempts__gt=0, concept__removed_at=None
    ).filter(concept__plan__tutor__opened_to__class_link=link)
    concepts: dict[object, Mastery] = {}
    pupils: dict[object, Mastery] = {}
    now = timezone.now()
    ordered = rows.order_by("concept__plan", "concept__position", "concept", "participant__pupil__nickname")
    for row in ordered.select_related("concept", "participant__pupil"):
        name, nickname, state = row.concept.shown_name, row.participant.pupil.nickname, get_state(row, now)
        for one, other in (
            (concepts.setdefault(row.concept_id, Mastery(name)), nickname),
            (pupils.setdefault(row.participant_id, Mastery(nickname)), name),
        ):
            one.practised += 1
            if state == LearningState.WEAK or is_learnt(row.card):
                (one.stuck if state == LearningState.WEAK else one.known).append(other)
    return list(concepts.values()), sorted(pupils.values(), key=lambda one: (-len(one.stuck), one.name))


def find_misconceptions(link: ClassLink, *, on: date | None = None) -> list[tuple[Mistake, ConceptSource | None]]:
    """Wrong options that several pupils chose, each with the passage to teach again, which the question cites.

    A question that the teacher has rejected, or whose concept they have removed, says nothing about pupils.
    """
    rows = _find_attempts(link, on).filter(question__concept__removed_at__isnull=True)
    rows = rows.exclude(question__review=ReviewState.REJECTED)
    found = find_mistakes(rows, "participant")[:MAX_WEAK_CONCEPTS]
    sources = [one.question.concept.sources.filter(number__in=one.question.source_numbers) for one in found]
    return [(one, cited.order_by("number").first()) for one, cited in zip(found, sources, strict=True)]


def _find_attempts(link: ClassLink, on: date | None) -> QuerySet[Attempt]:
    rows = Attempt.objects.filter(participant__pupil__class_link=link)
    return rows.filter(answered_at__date=on) if on else rows
