"""Study plans, and their concepts with prerequisites and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Count, F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from chatbots.models import Chatbot, Language, SourceSnapshot, can_be_opened
from chatbots.passages import NumberedPassage
from corpus.progress import Progress
from corpus.source_kinds import MAX_KIND_LENGTH
from learning.material import MAX_CONCEPTS, MAX_DEFINITION_LENGTH, MAX_NAME_LENGTH
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import OwnedQuerySet, SchoolQuerySet
from text.names import make_name_key

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from learning.models.question import Question


MIN_CONCEPTS, MIN_QUESTIONS = 4, 8
"""What a plan has that needs no advice. With fewer questions it is offered to no class, and has no grades."""


class PlanStatus(models.TextChoices):
    """The state of making a plan. `working` includes bringing it up to date."""

    QUEUED = "queued", "Waiting"
    WORKING = "working", "Being made"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


class PlanStage(models.TextChoices):
    READING = "reading", "Reading the sources"
    CONCEPTS = "concepts", "Finding the concepts"
    SOURCES = "sources", "Fetching sources for each concept"
    QUESTIONS = "questions", "Making practice questions"


class TutorStyle(models.TextChoices):
    HINTS = "hints", "Hints first"
    STEPS = "steps", "Worked steps"
    ANSWERS = "answers", "Answers"


class PlanQuerySet(OwnedQuerySet["StudyPlan"]):
    def offered(self) -> Self:
        """Those with enough questions that pupils may get."""
        from learning.models.question import Question

        shown = Question.objects.shown().filter(concept__removed_at=None).order_by().values("concept__plan")
        return self.filter(
            pk__in=shown.annotate(asked=Count("pk")).filter(asked__gte=MIN_QUESTIONS).values("concept__plan")
        )


class StudyPlan(SchoolOwned, Progress):
    """Concepts to learn, with their prerequisites, sources and practice questions.

    The plan is made from the sources of `chatbot`, or from the documents that are linked to `tutor` and, in addition,
    from the kinds beyond the school in `kinds`. The tutor is a chatbot of the plan's own: its conversations are about
    the plan.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="study_plans")
    title = models.CharField(max_length=160)
    topic = models.CharField(max_length=300, blank=True)
    language = models.CharField(max_length=2, choices=Language, default=Language.ENGLISH)
    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.SET_NULL, null=True, blank=True, related_name="study_plans", db_constraint=False
    )
    tutor = models.OneToOneField(Chatbot, on_delete=models.CASCADE, related_name="plan", db_constraint=False)
    kinds = ArrayField(
        models.CharField(max_length=MAX_KIND_LENGTH),
        20,
        default=list,
        blank=True,
        help_text="of source, beside the school",
    )
    most_concepts = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(MAX_CONCEPTS)]
    )
    tutor_style = models.CharField(max_length=10, choices=TutorStyle, default=TutorStyle.HINTS)
    session_minutes = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(60)]
    )
    shows_unreviewed = models.BooleanField(
        "pupils practise with questions that nobody has reviewed", default=False, help_text="Its owner always does."
    )
    status = models.CharField(max_length=10, choices=PlanStatus, default=PlanStatus.QUEUED)
    stage = models.CharField(max_length=10, choices=PlanStage, blank=True)
    failure = models.TextField(blank=True)
    notices = models.JSONField(default=list, blank=True, help_text="what could not be read, in words")
    suggested = ArrayField(
        models.CharField(max_length=MAX_NAME_LENGTH), default=list, blank=True, help_text="terms, where few are marked"
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(default=timezone.now)
    made_by = models.CharField(max_length=120, blank=True, help_text="the language model; empty without one")
    dropped = models.JSONField(default=dict, blank=True, help_text="questions that failed a check, by its name")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    if TYPE_CHECKING:
        concepts: RelatedManager[Concept]

    objects = PlanQuerySet.as_manager()

    class Meta:
        ordering = ["-updated_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="plan_school"),
            SameSchool(field="tutor", name="plan_tutor"),
            SameSchool(field="chatbot", name="plan_chatbot"),
            models.CheckConstraint(condition=Q(status__in=PlanStatus.values), name="plan_status"),
            models.CheckConstraint(condition=Q(tutor_style__in=TutorStyle.values), name="plan_tutor_style"),
            models.CheckConstraint(
                condition=Q(most_concepts__gte=1, most_concepts__lte=MAX_CONCEPTS), name="plan_most_concepts"
            ),
            models.CheckConstraint(
                condition=Q(session_minutes__gte=1, session_minutes__lte=60), name="plan_session_minutes"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def active_concepts(self) -> ConceptQuerySet:
        return cast("ConceptQuerySet", self.concepts.filter(removed_at__isnull=True))

    @property
    def shown_notices(self) -> list[str]:
        """What could not be read, and how the plan can be made better while it has too little."""
        found = list(self.notices)
        concepts = self.active_concepts().annotate(asked=Count("questions", filter=~Q(questions__review="rejected")))
        numbers = [] if self.status != PlanStatus.READY else list(concepts.values_list("asked", flat=True))
        if 0 < len(numbers) < MIN_CONCEPTS:
            one = "1 concept was" if len(numbers) == 1 else f"Only {len(numbers)} concepts were"
            found.append(f"{one} found: mark terms in bold in the documents, or add concepts here.")
        if numbers and sum(numbers) < MIN_QUESTIONS:
            one = "1 practice question is" if sum(numbers) == 1 else f"{sum(numbers)} practice questions are"
            found.append(f"{one} too few: a class is offered {MIN_QUESTIONS} or more. Mark terms or add concepts.")
        return found

    @property
    def suggestions(self) -> list[str]:
        """The suggested terms that are no concepts yet."""
        rows = self.active_concepts().values_list("name", "synonyms") if self.suggested else ()
        known = {make_name_key(name, self.language) for one, others in rows for name in (one, *others)}
        return [name for name in self.suggested if make_name_key(name, self.language) not in known]

    @property
    def kept_chatbot(self) -> Chatbot | None:
        """The chatbot whose sources it is made from, unless that was deleted."""
        return self.chatbot if self.chatbot and not self.chatbot.deleted_at else None

    @property
    def is_pending(self) -> bool:
        return self.status in (PlanStatus.QUEUED, PlanStatus.WORKING)

    @property
    def pending_stage(self) -> str:
        return self.stage if self.is_pending else ""

    @property
    def share_done(self) -> float:
        """The progress of the stage, from 0 to 1; 1 for a plan that is ready."""
        if self.status == PlanStatus.READY:
            return 1.0
        return min(self.progress_done / self.progress_total, 1.0) if self.progress_total else 0.0


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
    name = models.CharField(max_length=MAX_NAME_LENGTH)
    definition = models.TextField(max_length=MAX_DEFINITION_LENGTH, blank=True)
    definition_source = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="number of the source of the definition; none if the teacher wrote it"
    )
    synonyms = ArrayField(models.CharField(max_length=MAX_NAME_LENGTH), default=list, blank=True)
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
