from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.forms import BaseInlineFormSet
from django.http import HttpRequest

from chatbots.models import (
    Chat,
    Chatbot,
    ChatbotPersonalDocLink,
    ChatbotSchoolDocLink,
    ChatbotSource,
    Collaborator,
    Feedback,
    Message,
    MessageSource,
    Participant,
    PromptRecord,
    QuestionLogEntry,
    Selection,
)
from schools.admin import NoEdit, ReadOnly, ReadOnlyAdmin


class DeletedAsAWhole:
    """Admin mixin: list only the rows to delete, not what is deleted with them, which is read-only."""

    def get_deleted_objects(
        self, objs: Iterable[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        rows = list(objs)
        return [str(row) for row in rows], {"with everything in them": len(rows)}, set(), []


class PersonalLinkInline(admin.TabularInline[ChatbotPersonalDocLink, Chatbot]):
    model = ChatbotPersonalDocLink
    extra = 0
    can_delete = False
    fields = ["document", "created_at"]
    readonly_fields = ["document", "created_at"]

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class SchoolLinkInline(PersonalLinkInline):
    model = ChatbotSchoolDocLink  # type: ignore[assignment]


class SharesFormSet(BaseInlineFormSet[ChatbotSource, Chatbot, Any]):
    def clean(self) -> None:
        super().clean()
        if sum(form.instance.weight for form in self.forms) != 100:
            raise ValidationError("The weights must add up to 100.")


class SourceInline(PersonalLinkInline):
    model = ChatbotSource  # type: ignore[assignment]
    formset = SharesFormSet  # type: ignore[assignment]
    fields = ["kind", "participation", "weight"]
    readonly_fields = ["kind"]


@admin.register(Chatbot)
class ChatbotAdmin(DeletedAsAWhole, admin.ModelAdmin[Chatbot]):
    list_display = ["name", "kind", "school", "owner", "places", "updated_at", "deleted_at"]
    list_filter = ["school", ("deleted_at", admin.EmptyFieldListFilter), "kind", "when_unsure", "language"]
    search_fields = ["name", "description", "owner__email", "school__name"]
    readonly_fields = ["school", "owner", "colleagues_get_documents", "created_at", "updated_at"]
    inlines = [SourceInline, PersonalLinkInline, SchoolLinkInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Collaborator)
class CollaboratorAdmin(NoEdit, admin.ModelAdmin[Collaborator]):
    list_display = ["chatbot", "membership", "role", "school", "created_at"]
    list_filter = ["role", "school"]
    search_fields = ["chatbot__name", "membership__user__email", "membership__known_as"]
    list_select_related = ["chatbot", "membership__user", "membership__school", "school"]


@admin.register(ChatbotPersonalDocLink, ChatbotSchoolDocLink)
class LinkAdmin(ReadOnlyAdmin):
    list_display = ["chatbot", "document", "school", "created_at"]
    search_fields = ["chatbot__name", "document__title"]


@admin.register(ChatbotSource)
class ChatbotSourceAdmin(ReadOnlyAdmin):
    list_display = ["chatbot", "kind", "participation", "weight", "school"]
    list_filter = ["kind", "participation", "school"]
    search_fields = ["chatbot__name"]


@admin.register(Participant)
class ParticipantAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "school", "created_at"]
    search_fields = ["user__email", "user__name"]


@admin.register(Chat)
class ChatAdmin(DeletedAsAWhole, NoEdit, admin.ModelAdmin[Chat]):
    list_display = ["title", "chatbot", "school", "participant", "updated_at", "deleted_at"]
    list_filter = ["school", ("deleted_at", admin.EmptyFieldListFilter)]
    search_fields = ["title", "chatbot__name", "participant__user__email"]


class GivenPromptInline(ReadOnly, admin.StackedInline[PromptRecord, Message]):
    """What the model was sent."""

    model = PromptRecord
    fields = ["answerer", "times", "turns"]
    verbose_name_plural = "prompt"


class MessageSourceInline(ReadOnly, admin.StackedInline[MessageSource, Message]):
    """What was found for the answer, as it was then."""

    model = MessageSource
    fields = [
        *("kind", "document_title", "version", "address", "heading_path", "page"),
        *("relevance", "certainty", "was_given", "is_cited", "excerpt"),
    ]
    ordering = ["number"]
    verbose_name_plural = "sources"


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    inlines = [GivenPromptInline, MessageSourceInline]
    list_display = ["question", "status", "mode", "model", "school", "created_at"]
    list_filter = ["status", "mode", "school", "model"]
    search_fields = ["question", "searched_for", "answer", "chat__title"]
    date_hierarchy = "created_at"


@admin.register(MessageSource)
class MessageSourceAdmin(ReadOnlyAdmin):
    list_display = ["document_title", "number", "kind", "version", "relevance", "is_cited", "school"]
    list_filter = ["kind", "is_cited", "school"]
    search_fields = ["document_title", "excerpt", "message__question"]


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    list_display = ["message", "verdict", "reason", "words", "school", "given_at"]
    list_filter = ["verdict", "reason", "school"]
    search_fields = ["words", "message__question"]


@admin.register(Selection)
class SelectionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "message", "language", "school"]
    list_filter = ["school", "language"]
    search_fields = ["message__question", "document_title"]


@admin.register(PromptRecord)
class PromptRecordAdmin(ReadOnlyAdmin):
    list_display = ["message", "answerer", "times", "school", "created_at"]
    list_filter = ["school", "answerer"]
    search_fields = ["message__question", "answerer"]


@admin.register(QuestionLogEntry)
class QuestionLogEntryAdmin(ReadOnlyAdmin):
    list_display = ["question", "outcome", "channel", "chatbot_name", "draws_on_own", "school", "asked_at"]
    list_filter = ["outcome", "channel", "draws_on_own", "school"]
    search_fields = ["question", "answer", "chatbot_name"]
    date_hierarchy = "asked_at"
    exclude = ["message_id"]
