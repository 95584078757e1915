"""What a learner has practised, and how well."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models import Participant
from learning.material import Verdict
from learning.models.plan import Concept, StudyPlan
from learning.models.question import Question
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import M, SchoolQuerySet

RATINGS = [choice for choice in Verdict.choices if choice[0] != Verdict.UNSURE]


class LearnerQuerySet(SchoolQuerySet[M]):
    """Rows of one learner. Nobody else reaches them, not even the owner of the plan."""

    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, participant__user=member.user_id)


class PracticeSession(SchoolOwned):
    """Some minutes of practice, which can be left and taken up anywhere. `concept` restricts it to one concept."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    plan = models.ForeignKey(StudyPlan, on_delete=models.CASCADE, related_name="sessions", db_constraint=False)
    concept = models.ForeignKey(
        Concept, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_constraint=False
    )
    question = models.ForeignKey(
        Question,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
        help_text="the one that is being asked",
    )
    started_at = models.DateTimeField(default=timezone.now)
    seconds = models.PositiveIntegerField(default=0, help_text="spent so far, without pauses")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = LearnerQuerySet["PracticeSession"].as_manager()

    class Meta:
        ordering = ["-started_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="session_school"),
            SameSchool(field="participant", name="session_participant"),
            SameSchool(field="plan", name="session_plan"),
            SameSchool(field="concept", name="session_concept"),
            SameSchool(field="question", name="session_question"),
        ]

    def __str__(self) -> str:
        return f"{self.plan}, {self.started_at:%Y-%m-%d %H:%M}"


class Attempt(SchoolOwned):
    """An answer of a learner to a question, with the verdict and the feedback that was shown."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="attempts", db_constraint=False)
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    session = models.ForeignKey(
        PracticeSession, on_delete=models.CASCADE, null=True, blank=True, related_name="attempts", db_constraint=False
    )
    given = models.JSONField(help_text="as it was answered: an index, indexes, a text, a number or a truth value")
    verdict = models.CharField(max_length=10, choices=Verdict)
    own_rating = models.CharField(
        max_length=10, choices=RATINGS, blank=True, default="", help_text="by the learner, of an unsure answer"
    )
    share = models.FloatField(help_text="the right part, between 0 and 1")
    feedback = models.TextField()
    cited = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    answered_at = models.DateTimeField(default=timezone.now)

    objects = LearnerQuerySet["Attempt"].as_manager()

    class Meta:
        ordering = ["-answered_at", "-id"]
        constraints = [
            SameSchool(field="question", name="attempt_question"),
            SameSchool(field="participant", name="attempt_participant"),
            SameSchool(field="session", name="attempt_session"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="attempt_verdict"),
            models.CheckConstraint(
                condition=Q(own_rating="")
                | Q(own_rating__in=[rating for rating, _ in RATINGS], verdict=Verdict.UNSURE.value),
                name="attempt_own_rating",
            ),
            models.CheckConstraint(condition=Q(share__gte=0, share__lte=1), name="attempt_share"),
        ]
        indexes = [models.Index(fields=["participant", "-answered_at"], name="attempt_by_learner")]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()}: {self.question}"

    @property
    def outcome(self) -> Verdict:
        """The verdict, or where it is unsure, the learner's own rating."""
        return Verdict(self.own_rating or self.verdict)


class ConceptProgress(SchoolOwned):
    """How well a learner knows a concept: the state of its card in spaced repetition (fsrs), and counts."""

    concept = models.ForeignKey(Concept, on_delete=models.CASCADE, related_name="progress", db_constraint=False)
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    card = models.JSONField(help_text="fsrs.Card.to_dict")
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    right = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    objects = LearnerQuerySet["ConceptProgress"].as_manager()

    class Meta:
        verbose_name_plural = "concept progress"
        constraints = [
            SameSchool(field="concept", name="progress_concept"),
            SameSchool(field="participant", name="progress_participant"),
            models.UniqueConstraint(fields=["participant", "concept"], name="progress_once"),
        ]
        indexes = [models.Index(fields=["participant", "due_at"], name="progress_due")]

    def __str__(self) -> str:
        return f"{self.concept}: {self.right} of {self.attempts}"
