"""Practice questions."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models import Participant
from learning.material import QuestionKind
from learning.models.plan import Concept
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class ReviewState(models.TextChoices):
    UNREVIEWED = "unreviewed", "Not reviewed"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"


class QuestionQuerySet(SchoolQuerySet["Question"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(
            school=member.school_id, concept__plan__owner=member.user_id, concept__removed_at__isnull=True
        )

    def open_to(self, participant: Participant | None) -> Self:
        """Those that somebody may practise with: approved ones, and what nobody has reviewed for the owner of the plan,
        or where the plan allows it; none with an old source."""
        own = Q(concept__plan__owner=participant.user_id) if participant and participant.user_id else Q()
        unreviewed = Q(review=ReviewState.UNREVIEWED) & (own | Q(concept__plan__shows_unreviewed=True))
        return self.filter(Q(review=ReviewState.APPROVED) | unreviewed, is_outdated=False)

    def shown(self) -> Self:
        """Those that pupils may get."""
        return self.open_to(None)


class Question(SchoolOwned):
    """A practice question of a concept. `learning.material.DraftQuestion` says what its fields mean.

    `sources` are numbers of the concept's sources; prompt and explanation cite them with [n].
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    concept = models.ForeignKey(Concept, on_delete=models.CASCADE, related_name="questions", db_constraint=False)
    kind = models.CharField(max_length=10, choices=QuestionKind)
    prompt = models.TextField(max_length=2000)
    options = ArrayField(models.TextField(), default=list, blank=True)
    targets = ArrayField(models.TextField(), default=list, blank=True)
    answer = models.JSONField()
    explanation = models.TextField(max_length=4000)
    source_numbers = ArrayField(models.PositiveSmallIntegerField())
    made_by = models.CharField(max_length=120, blank=True, help_text="the language model; empty for rules")
    review = models.CharField(max_length=10, choices=ReviewState, default=ReviewState.UNREVIEWED)
    is_edited = models.BooleanField(default=False, help_text="by the teacher")
    is_outdated = models.BooleanField(default=False, help_text="its source has changed: it is not asked any more")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        verbose_name = "practice question"
        ordering = ["concept", "created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="question_school"),
            SameSchool(field="concept", name="question_concept"),
            models.CheckConstraint(condition=Q(kind__in=QuestionKind.values), name="question_kind"),
            models.CheckConstraint(condition=Q(review__in=ReviewState.values), name="question_review"),
            models.CheckConstraint(condition=Q(source_numbers__len__gt=0), name="question_has_a_source"),
        ]

    def __str__(self) -> str:
        return self.prompt[:80]
