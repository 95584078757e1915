"""The form of a test question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from chatbots.conversations.asking import MAX_QUESTION, QuestionRefused, clean_question
from chatbots.models import Chatbot, Message
from corpus.passages import Passage
from corpus.reading.locations import describe_location
from corpus.source_kinds import list_document_kinds
from evaluation.models import TestQuestion
from evaluation.test_questions import MAX_QUESTIONS

REFUSED = "refused"


@dataclass(frozen=True)
class ExpectedResult:
    """The expected result: a passage, a document or (without a kind) a refusal."""

    label: str
    kind: str = ""
    document_id: Any = None
    title: str = ""
    excerpt: str = ""
    place: str = ""
    external_id: str = ""


class PinForm(forms.Form):
    """A test question. The choices are `passages`, then the chatbot's documents; the first is the default."""

    question = forms.CharField(
        max_length=MAX_QUESTION,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="It is searched for on its own, so it must make sense without a conversation.",
    )
    expected = forms.ChoiceField(label="What should be found")

    def __init__(
        self,
        *args: Any,
        chatbot: Chatbot,
        passages: Mapping[str, ExpectedResult] | None = None,
        pinned: TestQuestion | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.chatbot, self.pinned = chatbot, pinned
        passages = dict(passages or {})
        if pinned and not pinned.is_refused:
            title = pinned.document_title + (f" · {pinned.place}" if pinned.place else "")
            kept = ExpectedResult(
                f"As now: {title}",
                pinned.kind,
                pinned.document_id,
                pinned.document_title,
                pinned.excerpt,
                pinned.place,
                pinned.external_id,
            )
            passages = {"kept": kept, **passages}
        documents = list_document_choices(chatbot)
        refusal = {REFUSED: ExpectedResult("Nothing: it should be refused")}
        self.offered = {**passages, **documents, **refusal}
        groups = (("This passage", passages), ("Any passage of", documents), ("Or", refusal))
        field: Any = self.fields["expected"]
        field.choices = [(name, [(k, one.label) for k, one in of.items()]) for name, of in groups if of]
        if pinned:
            self.initial = {"question": pinned.question, "expected": REFUSED if pinned.is_refused else "kept"}

    def clean_question(self) -> str:
        try:
            question = clean_question(self.cleaned_data["question"])
        except QuestionRefused as reason:
            raise forms.ValidationError(str(reason)) from None
        if self._others().filter(question=question).exists():
            raise forms.ValidationError("This is already a test question: change that one, or delete it.")
        return question

    def clean(self) -> dict[str, Any]:
        if self.pinned is None and self.chatbot.test_questions.count() >= MAX_QUESTIONS:
            raise forms.ValidationError(
                f"A chatbot has at most {MAX_QUESTIONS} test questions. Delete one that you no longer need."
            )
        return super().clean() or {}

    @transaction.atomic
    def save(self) -> TestQuestion:
        """Save it. The same question sent twice is stored once."""
        expected, question = self.offered[self.cleaned_data["expected"]], self.cleaned_data["question"]
        Chatbot.objects.kept().select_for_update(no_key=True).get(pk=self.chatbot.pk)
        pinned = self.pinned or self._others().filter(question=question).first()
        pinned = pinned or TestQuestion(school_id=self.chatbot.school_id, chatbot=self.chatbot)
        pinned.question, pinned.is_refused = question, not expected.kind
        pinned.kind, pinned.document_id, pinned.external_id = expected.kind, expected.document_id, expected.external_id
        pinned.document_title, pinned.place, pinned.excerpt = expected.title, expected.place, expected.excerpt
        pinned.changed_at = timezone.now()
        pinned.save()
        return pinned

    def _others(self) -> QuerySet[TestQuestion]:
        every = TestQuestion.objects.filter(chatbot=self.chatbot)
        return every.exclude(pk=self.pinned.pk) if self.pinned else every


def list_document_choices(chatbot: Chatbot) -> dict[str, ExpectedResult]:
    return {
        f"{kind.value}:{document.pk}": ExpectedResult(
            f"{document.title} ({kind.label})", kind.value, document.pk, document.title
        )
        for kind in list_document_kinds()
        for document in kind.find_documents(chatbot).order_by("title", "pk")  # type: ignore[misc]
    }


def list_passage_choices(message: Message) -> dict[str, ExpectedResult]:
    """The sources of an answer as choices, cited ones first."""
    sources = sorted(message.sources.all(), key=lambda source: (not source.is_cited, source.number))
    return {
        str(source.pk): ExpectedResult(
            f"{source.number} · {source.document_title}" + (f" · {source.where}" if source.where else ""),
            source.kind,
            source.document_id,
            source.document_title,
            source.excerpt,
            source.where,
            "" if source.document_id else source.origin,
        )
        for source in sources
    }


def sign_passage(chatbot: Chatbot, passage: Passage) -> str:
    """A found passage, signed for a form of this chatbot's test questions."""
    place = describe_location(passage)
    return signing.dumps(
        {
            "label": passage.document_title + (f" · {place}" if place else ""),
            "kind": passage.kind.value,
            "document_id": str(passage.document_id) if passage.document_id else None,
            "external_id": "" if passage.document_id else passage.origin,
            "title": passage.document_title,
            "excerpt": passage.excerpt,
            "place": place,
        },
        salt=str(chatbot.pk),
        compress=True,
    )


def read_signed_passage(chatbot: Chatbot, key: str) -> dict[str, ExpectedResult]:
    """The passage of a key from `signed`; empty if the signature is invalid."""
    try:
        return {key: ExpectedResult(**signing.loads(key, salt=str(chatbot.pk)))}
    except signing.BadSignature:
        return {}
