"""Chatbots, and what they may read."""

from __future__ import annotations

import uuid_utils.compat
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.constraints import SameSchool
from schools.models import SchoolOwned
from schools.querysets import OwnedQuerySet, SchoolQuerySet


class ChatbotKind(models.TextChoices):
    """What a chatbot answers from, in the words of its refusals (T4)."""

    GENERAL = "general", "General"
    TEXTBOOK = "textbook", "Textbook"


class WhenUnsure(models.TextChoices):
    REFUSE = "refuse", "Say that the sources do not answer it"
    GENERAL = "general", "Answer from general knowledge, clearly marked"


class Language(models.TextChoices):
    ENGLISH = "en", "English"
    GERMAN = "de", "German"
    FRENCH = "fr", "French"
    SPANISH = "es", "Spanish"


NEVER_GENERAL = "A textbook chatbot never answers from general knowledge."


class Chatbot(SchoolOwned):
    """A teacher's chatbot: instructions, the documents it may read and how its places are shared (H3, H4)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chatbots")
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=300, blank=True)
    instructions = models.TextField(max_length=4000, blank=True)
    subject = models.CharField(max_length=60, blank=True)
    language = models.CharField(max_length=2, choices=Language, default=Language.ENGLISH)
    kind = models.CharField(max_length=10, choices=ChatbotKind, default=ChatbotKind.GENERAL)
    personal_weight = models.PositiveSmallIntegerField(default=60, validators=[MaxValueValidator(100)])
    school_weight = models.PositiveSmallIntegerField(default=40, validators=[MaxValueValidator(100)])
    places = models.PositiveSmallIntegerField(
        default=5, validators=[MinValueValidator(1), MaxValueValidator(20)]
    )
    when_unsure = models.CharField(max_length=10, choices=WhenUnsure, default=WhenUnsure.REFUSE)
    is_named_in_log = models.BooleanField(
        "named in the school's question log",
        default=False,
        help_text="Its name may tell whose it is, so the log has it only where its teacher says so.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    personal_documents: models.ManyToManyField[PersonalDocument, ChatbotPersonalDocLink] = (
        models.ManyToManyField(PersonalDocument, through="ChatbotPersonalDocLink", related_name="chatbots")
    )
    school_documents: models.ManyToManyField[SchoolDocument, ChatbotSchoolDocLink] = models.ManyToManyField(
        SchoolDocument, through="ChatbotSchoolDocLink", related_name="chatbots"
    )

    objects = OwnedQuerySet["Chatbot"].as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="chatbot_school"),
            models.CheckConstraint(
                condition=Q(personal_weight__lte=100, school_weight=100 - F("personal_weight")),
                name="chatbot_weights_add_up_to_100",
                violation_error_message="The two weights must add up to 100.",
            ),
            models.CheckConstraint(
                condition=Q(places__gte=1, places__lte=20),
                name="chatbot_places_1_to_20",
                violation_error_message="A chatbot has between 1 and 20 places.",
            ),
            models.CheckConstraint(
                condition=Q(when_unsure__in=WhenUnsure.values), name="chatbot_when_unsure"
            ),
            models.CheckConstraint(condition=Q(kind__in=ChatbotKind.values), name="chatbot_kind"),
            models.CheckConstraint(
                condition=~Q(kind=ChatbotKind.TEXTBOOK) | Q(when_unsure=WhenUnsure.REFUSE),
                name="chatbot_textbook_refuses",
                violation_error_message=NEVER_GENERAL,
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ChatbotPersonalDocLink(SchoolOwned):
    """A document of the teacher's own that a chatbot may read."""

    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.CASCADE, related_name="personal_links", db_constraint=False
    )
    document = models.ForeignKey(
        PersonalDocument, on_delete=models.CASCADE, related_name="chatbot_links", db_constraint=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["ChatbotPersonalDocLink"].as_manager()

    class Meta:
        constraints = [
            SameSchool(field="chatbot", name="personal_link_chatbot"),
            SameSchool(field="document", name="personal_link_document"),
            models.UniqueConstraint(fields=["chatbot", "document"], name="personal_link_once"),
        ]


class ChatbotSchoolDocLink(SchoolOwned):
    """A document of the school's library that a chatbot may read. It takes effect with the next question (L2)."""

    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.CASCADE, related_name="school_links", db_constraint=False
    )
    document = models.ForeignKey(
        SchoolDocument, on_delete=models.CASCADE, related_name="chatbot_links", db_constraint=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["ChatbotSchoolDocLink"].as_manager()

    class Meta:
        constraints = [
            SameSchool(field="chatbot", name="school_link_chatbot"),
            SameSchool(field="document", name="school_link_document"),
            models.UniqueConstraint(fields=["chatbot", "document"], name="school_link_once"),
        ]
