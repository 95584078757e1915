"""Concepts of a study plan, their prerequisites and their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from chatbots.models import SourceSnapshot, can_be_opened
from chatbots.passages import NumberedPassage
from learning.models.plan import StudyPlan
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from learning.models.question import Question


class ConceptQuerySet(SchoolQuerySet["Concept"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, plan__owner=member.user_id).active()

    def active(self) -> Self:
        """Without those that were removed, which are kept so that the removal can be undone."""
        return self.filter(removed_at__isnull=True)

    def unfinished(self) -> Self:
        """Those whose sources have not been fetched, or whose questions have not been made."""
        return self.filter(Q(sources_at__isnull=True) | Q(questions_at__isnull=True))


class Concept(SchoolOwned):
    """Something to learn: a name, a definition of one sentence with its source, and prerequisites.

    Prerequisites form a graph without circles; a trigger in the first migration enforces this.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    plan = models.ForeignKey(StudyPlan, on_delete=models.CASCADE, related_name="concepts", db_constraint=False)
    position = models.PositiveSmallIntegerField(help_text="in the order of teaching, from 0")
    name = models.CharField(max_length=120)
    definition = models.TextField(max_length=1000, blank=True)
    definition_source = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="number of the source of the definition; none if the teacher wrote it"
    )
    synonyms = ArrayField(models.CharField(max_length=120), default=list, blank=True)
    is_edited = models.BooleanField(default=False, help_text="by the teacher: an update keeps name and definition")
    is_outdated = models.BooleanField(default=False, help_text="a document of its sources has changed")
    sources_at = models.DateTimeField(null=True, blank=True, help_text="when its sources were fetched")
    questions_at = models.DateTimeField(null=True, blank=True, help_text="when its questions were made")
    removed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    if TYPE_CHECKING:
        sources: RelatedManager[ConceptSource]
        questions: RelatedManager[Question]
        prerequisites: models.ManyToManyField[Any, Any]
    else:
        prerequisites = models.ManyToManyField(
            "self", through="Prerequisite", symmetrical=False, related_name="needed_for"
        )

    objects = ConceptQuerySet.as_manager()

    class Meta:
        ordering = ["plan", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="concept_school"),
            SameSchool(field="plan", name="concept_plan"),
            models.UniqueConstraint(
                F("plan"), Lower("name"), condition=Q(removed_at__isnull=True), name="concept_name_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="concept_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_name(self) -> str:
        """The name with a capital, but for names such as pH and mRNA."""
        return self.name if self.name[1:2].isupper() else self.name[:1].upper() + self.name[1:]

    @property
    def cited_definition(self) -> str:
        cite = f" [{self.definition_source}]" if self.definition and self.definition_source else ""
        return f"{self.definition}{cite}"


class Prerequisite(SchoolOwned):
    """`concept` is learnt after `requires`. Both are concepts of the same plan."""

    concept = models.ForeignKey(
        Concept, on_delete=models.CASCADE, related_name="prerequisite_links", db_constraint=False
    )
    requires = models.ForeignKey(Concept, on_delete=models.CASCADE, related_name="dependent_links", db_constraint=False)

    objects = SchoolQuerySet["Prerequisite"].as_manager()

    class Meta:
        constraints = [
            SameSchool(field="concept", name="prerequisite_concept"),
            SameSchool(field="requires", name="prerequisite_requires"),
            models.UniqueConstraint(fields=["concept", "requires"], name="prerequisite_once"),
            models.CheckConstraint(condition=~Q(concept=F("requires")), name="prerequisite_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.requires} before {self.concept}"


class ConceptSourceQuerySet(SchoolQuerySet["ConceptSource"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, concept__plan__owner=member.user_id)

    def current(self) -> Self:
        return self.filter(is_current=True)


class ConceptSource(SourceSnapshot):
    """A passage about a concept, as it was when it was fetched. Numbers are never used again within a concept, so that
    questions go on citing the passage that they were made from."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    concept = models.ForeignKey(Concept, on_delete=models.CASCADE, related_name="sources", db_constraint=False)
    is_current = models.BooleanField(default=True, help_text="False if only older questions cite it")

    objects = ConceptSourceQuerySet.as_manager()

    class Meta:
        ordering = ["concept", "number"]
        constraints = [
            SameSchool(field="concept", name="concept_source_concept"),
            models.UniqueConstraint(fields=["concept", "number"], name="concept_source_number_once"),
            *can_be_opened("concept_source"),
        ]

    def as_numbered(self) -> NumberedPassage:
        return NumberedPassage(self.number, self.document_title, tuple(self.heading_path), self.text, self.excerpt)


class PlanEdit(SchoolOwned):
    """What the graph of a plan was before an edit, so that the edit can be undone."""

    plan = models.ForeignKey(StudyPlan, on_delete=models.CASCADE, related_name="edits", db_constraint=False)
    words = models.CharField(max_length=300, help_text="what was done, for the button that undoes it")
    before = models.JSONField(help_text="see learning.planning.editing")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["PlanEdit"].as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [SameSchool(field="plan", name="plan_edit_plan")]

    def __str__(self) -> str:
        return self.words
