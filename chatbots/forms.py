from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.forms.boundfield import BoundWidget

from chatbots.models import NEVER_GENERAL, Chatbot, ChatbotKind, WhenUnsure
from chatbots.question_log import store
from chatbots.services import set_personal_documents, set_school_documents, set_shares
from chatbots.shares import SharesForm
from corpus.models import Document
from corpus.source_kinds import list_document_kinds
from corpus.web.listing import distinguishing_details
from engines.llm import get_llm
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument, SchoolDocumentQuerySet
from schools.models import Membership

_DOCUMENTS = ("personal_documents", "school_documents", "subjects")
SMALL_LIBRARY = 12
"""A library with at most so many documents is shown with all subjects open."""


@dataclass
class SubjectChoice:
    """A subject of the library: a checkbox for the subject, if it has a name, and one for each document."""

    name: str
    whole: BoundWidget | None
    documents: list[BoundWidget] = field(default_factory=list)
    is_open: bool = False


class ChangedMeanwhile(Exception):
    """The chatbot was saved elsewhere after the form was opened."""


class DocumentsField(forms.ModelMultipleChoiceField[Any]):
    """Checkboxes of documents. Labels distinguish equal titles and show documents that are not up to date."""

    apart: Mapping[UUID, str] = {}

    def label_from_instance(self, obj: Any) -> str:
        title = f"{obj.title} ({self.apart[obj.pk]})" if obj.pk in self.apart else str(obj.title)
        state = _state(obj)
        return f"{title} ({state})" if state else title


def _state(document: Document) -> str:
    older, newer = document.answering_version, document.version
    if older is None:
        return "being read, answers after that" if document.is_pending else "could not be read"
    if older == newer:
        return ""
    if document.is_pending:
        return f"version {older} keeps answering until version {newer} has been read"
    return f"version {older} keeps answering: version {newer} could not be read"


def _subjects(library: SchoolDocumentQuerySet) -> list[tuple[str, str]]:
    """The subjects of these documents as choices, with how many each has. The case of a subject does not matter."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for name, count in library.exclude(subject="").order_by("subject").values_list("subject").annotate(Count("pk")):
        names[name.casefold()] = name
        counts[name.casefold()] = counts.get(name.casefold(), 0) + count
    return [(name, f"{name} ({counts[key]})") for key, name in names.items()]


class ChatbotForm(SharesForm, forms.ModelForm[Chatbot]):
    """A chatbot with its weights and documents. Only documents that the member may read can be chosen."""

    personal_documents = DocumentsField(
        queryset=PersonalDocument.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    school_documents = DocumentsField(
        queryset=SchoolDocument.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    subjects = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="A whole subject adds the documents that it has now, not those that the library gets later.",
        error_messages={"invalid_choice": "Your library has no subject “%(value)s”."},
    )

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    """When the chatbot was last changed, as far as this form knows; empty in an old page."""

    class Meta:
        model = Chatbot
        fields = [
            "name",
            "description",
            "subject",
            "language",
            "kind",
            "instructions",
            "places",
            "when_unsure",
            "is_named_in_log",
        ]
        widgets = {
            "places": forms.NumberInput(attrs={"min": 1, "max": 20}),
            "instructions": forms.Textarea(attrs={"rows": 4}),
            "description": forms.TextInput(),
            "kind": forms.RadioSelect,
            "when_unsure": forms.RadioSelect,
        }
        labels = {
            "places": "Passages per answer",
            "when_unsure": "When nothing relevant is found",
            "is_named_in_log": "Name this chatbot in the school’s question log",
        }
        help_texts = {
            "description": "One line for your own overview.",
            "instructions": "Tone, level and scope, such as “Explain for 13-year-olds, in short sentences.”",
            "language": "The language of the answers.",
            "is_named_in_log": "Admins see questions there without names. The name of the chatbot may reveal that it "
            "is yours; without it, nobody sees which chatbot was asked.",
            "kind": "A textbook chatbot never answers from general knowledge. What its book does not answer, it "
            "refuses with “I cannot answer based on the textbook content”, in the language of its answers.",
        }

    def __init__(self, *args: Any, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.member = member
        if self.instance._state.adding:
            self.instance.school, self.instance.owner = member.school, member.user
        self.add_shares(self.instance, reader=member.user_id)
        self.fields["kind"].required = False  # an old page sends none: keep the value
        if not get_llm().generative:
            self.fields["when_unsure"].help_text = "General answers need a language model, which is not set up here."
        self.is_own = self.instance.owner_id == member.user_id
        if not settings.LECTERN_QUESTION_LOG_DAYS or not self.is_own:  # the name may reveal its owner
            del self.fields["is_named_in_log"]
        own, library = self._documents()
        if self.is_own:
            own.queryset = PersonalDocument.objects.for_member(member)
        library.queryset = SchoolDocument.objects.for_school(member.school).published()
        for documents in (own, library):
            documents.apart = distinguishing_details(documents.queryset)
        subjects: Any = self.fields["subjects"]
        subjects.choices = _subjects(library.queryset)
        if self.instance.pk and not self.instance._state.adding:
            self.fields["seen"].initial = self.instance.updated_at.isoformat()
            own.initial = list(self.instance.personal_links.values_list("document", flat=True))
            library.initial = list(
                self.instance.school_links.filter(document__is_published=True).values_list("document", flat=True)
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        kind = cleaned.get("kind") or self.instance.kind
        if kind == ChatbotKind.TEXTBOOK and cleaned.get("when_unsure") == WhenUnsure.GENERAL:
            self.add_error("when_unsure", f"{NEVER_GENERAL} Choose the other option, or make it a general chatbot.")
        if "school_documents" in cleaned:
            ticked = [document.pk for document in cleaned["school_documents"]]
            chosen = Q(pk__in=ticked)
            for subject in cleaned.get("subjects", []):
                chosen |= Q(subject__iexact=subject)
            cleaned["school_documents"] = self._documents()[1].queryset.filter(chosen)
        return cleaned

    @transaction.atomic
    def save(self, commit: bool = True) -> Chatbot:
        """Raises ChangedMeanwhile, and Chatbot.DoesNotExist when it has been deleted or is no longer shared."""
        chatbot = self.instance
        if chatbot._state.adding:
            chatbot.save()
        else:
            self._lock()
            # Only what the form has: the row also says with whom it is shared and whether it is archived.
            chatbot.save(update_fields=[*(self.fields.keys() & set(self._meta.fields or ())), "updated_at"])
        set_shares(chatbot=chatbot, sources=self.sources)
        if "is_named_in_log" in self.changed_data:
            store.name(chatbot, is_named=chatbot.is_named_in_log)
        if self.is_own:
            self._link("personal_documents", set_personal_documents)
        self._link("school_documents", set_school_documents)
        return chatbot

    def _lock(self) -> None:
        """Lock it against deletion and other changes, not against new questions."""
        rows = Chatbot.objects.editable_by(self.member).select_for_update(of=("self",), no_key=True)
        changed = rows.values_list("updated_at", flat=True).get(pk=self.instance.pk).isoformat()
        if self.cleaned_data["seen"] not in ("", changed):
            data: Any = self.data
            self.data = data = data.copy()
            data[self.add_prefix("seen")] = changed
            raise ChangedMeanwhile(
                "This chatbot has been changed since you opened this page. Save again to replace those "
                "settings by yours, or open its settings in another tab to look at them first."
            )

    def _link(self, name: str, set_documents: Callable[..., None]) -> None:
        chosen = [document.pk for document in self.cleaned_data[name]]
        set_documents(chatbot=self.instance, member=self.member, documents=chosen)

    def has_folded_errors(self) -> bool:
        """Whether a field that is folded away has an error."""
        return bool(self.errors.keys() - {"__all__", "name", "description", "language", "instructions", *_DOCUMENTS})

    def settings_in_words(self) -> str:
        """What the folded fields are set to, in a line."""
        values = {name: self[name].value() for name in ("kind", "places", "when_unsure")}
        parts = [f"{row.weight}% {self.kinds[row.kind].word}" for row in self.sources if row.shares]
        refuses = values["when_unsure"] != WhenUnsure.GENERAL
        return " · ".join(
            [
                "Textbook" if values["kind"] == ChatbotKind.TEXTBOOK else "General",
                *parts,
                f"{values['places']} passages",
                "refuses what the sources do not answer" if refuses else "answers from general knowledge if need be",
            ]
        )

    def library(self) -> list[SubjectChoice]:
        """The checkboxes of library documents by subject, those without a subject last."""
        whole = {box.data["value"]: box for box in self["subjects"].subwidgets}
        subjects = {name.casefold(): SubjectChoice(name, whole.get(name)) for name in [*whole, ""]}
        boxes = self["school_documents"].subwidgets
        for box in boxes:
            subject = subjects[box.data["value"].instance.subject.casefold()]
            subject.documents.append(box)
            subject.is_open |= box.data["selected"] or len(boxes) <= SMALL_LIBRARY
            subject.is_open |= bool(subject.whole and subject.whole.data["selected"])
        return [subject for subject in subjects.values() if subject.documents]

    def places_preview(self) -> dict[str, object]:
        """The preview for the chosen weights and documents (C1); call after validation."""
        chosen = getattr(self, "cleaned_data", {})
        places = chosen.get("places") or Chatbot._meta.get_field("places").get_default()
        documents = {
            kind.value: [one for one in chosen.get(f"{kind.value}_documents") or [] if not one.is_unreadable]
            for kind in list_document_kinds()
        }
        if not self.is_own and self.instance.personal_links.exists():
            # There are some; which ones only the owner is told.
            documents = {kind.value: documents[kind.value] for kind in list_document_kinds() if not kind.is_private}
        return {"preview": self.preview_places(places, documents)}

    def _documents(self) -> tuple[Any, Any]:
        return self.fields["personal_documents"], self.fields["school_documents"]
