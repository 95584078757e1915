"""Forms for one test question and for a CSV file of many."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.template.defaultfilters import pluralize
from django.utils import timezone

from chatbots.conversations.asking import MAX_QUESTION, QuestionRefused, clean_question
from chatbots.evaluation.test_questions import MOST
from chatbots.models import Chatbot, Message, TestQuestion
from chatbots.shares import SharesForm
from corpus.passages import Passage
from corpus.reading.locations import location_of
from corpus.source_kinds import document_kinds
from corpus.web.csv_file import decode_csv, delimiter_of, plain_cell, write_csv
from text.visible import has_words

REFUSED = "refused"
TEST_QUESTION_COLUMNS = ("question", "document", "passage")
LARGEST = 1_000_000
"""Bytes of an uploaded file."""


@dataclass(frozen=True)
class Expected:
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
        passages: Mapping[str, Expected] | None = None,
        pinned: TestQuestion | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.chatbot, self.pinned = chatbot, pinned
        passages = dict(passages or {})
        if pinned and not pinned.is_refused:
            title = pinned.document_title + (f" · {pinned.place}" if pinned.place else "")
            kept = Expected(
                f"As now: {title}",
                pinned.kind,
                pinned.document_id,
                pinned.document_title,
                pinned.excerpt,
                pinned.place,
                pinned.external_id,
            )
            passages = {"kept": kept, **passages}
        documents = documents_of(chatbot)
        refusal = {REFUSED: Expected("Nothing: it should be refused")}
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
        if self.pinned is None and self.chatbot.test_questions.count() >= MOST:
            raise forms.ValidationError(
                f"A chatbot has at most {MOST} test questions. Delete one that you no longer need."
            )
        return super().clean() or {}

    @transaction.atomic
    def save(self) -> TestQuestion:
        """Save it. The same question sent twice is stored once."""
        expected, question = self.offered[self.cleaned_data["expected"]], self.cleaned_data["question"]
        Chatbot.objects.kept().select_for_update(no_key=True).get(pk=self.chatbot.pk)
        pinned = self.pinned or self._others().filter(question=question).first()
        pinned = pinned or TestQuestion(school_id=self.chatbot.school_id, chatbot=self.chatbot)
        return _expecting(pinned, question, expected)

    def _others(self) -> QuerySet[TestQuestion]:
        every = TestQuestion.objects.filter(chatbot=self.chatbot)
        return every.exclude(pk=self.pinned.pk) if self.pinned else every


class TrialForm(SharesForm):
    """Shares and places to compare with the saved ones."""

    places = forms.IntegerField(label="Passages per answer", min_value=1, max_value=20)

    def __init__(self, *args: Any, chatbot: Chatbot, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["places"].initial = chatbot.places
        self.add_shares(chatbot, reader=chatbot.owner_id)  # the pages of test questions are the owner’s
        for row in self.sources:
            self.fields[f"{row.kind}_weight"].widget = forms.NumberInput(attrs={"min": 0, "max": 100})

    def summary(self) -> str:
        """Such as “60% personal, 40% school, 5 passages”; call after validation."""
        places = self.cleaned_data["places"]
        shares = [f"{row.weight}% {row.source_kind.word}" for row in self.sources if row.shares]
        return ", ".join([*shares, f"{places} passage{pluralize(places)}"])


class ImportForm(forms.Form):
    file = forms.FileField(
        label="CSV file",
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
        help_text="Columns “question” and “document” (its title here; empty if the question should be refused).",
    )

    def __init__(self, *args: Any, chatbot: Chatbot, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chatbot = chatbot

    def clean_file(self) -> list[Mapping[str, str]]:
        file = self.cleaned_data["file"]
        if file.size > LARGEST:
            raise forms.ValidationError("This file is too large for a list of test questions.")
        try:
            text = decode_csv(file.read())
        except ValueError as reason:
            raise forms.ValidationError(str(reason)) from None
        reader = csv.DictReader(io.StringIO(text), delimiter=delimiter_of(text))
        try:
            rows: list[Mapping[str, str]] = [
                {str(k).strip().lower(): v for k, v in row.items() if isinstance(v, str)} for row in reader
            ]
        except csv.Error:
            raise forms.ValidationError("This is not a CSV file.") from None
        if "question" not in {(name or "").strip().lower() for name in reader.fieldnames or ()}:
            raise forms.ValidationError("The first line must name the columns; one of them is “question”.")
        return rows

    def save(self) -> tuple[int, list[str]]:
        """Save the valid lines. Return the number of new questions and the errors in other lines."""
        by_title: dict[str, list[Expected]] = {}
        for document in documents_of(self.chatbot).values():
            by_title.setdefault(document.title.casefold(), []).append(document)
        known = set(self.chatbot.test_questions.values_list("question", flat=True))
        remaining, taken, wrong = MOST - self.chatbot.test_questions.count(), 0, list[str]()
        for number, row in enumerate(self.cleaned_data["file"], start=2):
            question, title = plain_cell(row.get("question", "")), plain_cell(row.get("document", ""))
            found = by_title.get(title.casefold(), []) if title else [Expected("")]
            if not has_words(question) or question in known:
                continue
            if len(question) > MAX_QUESTION:
                wrong.append(f"line {number}: the question is too long")
            elif len(found) != 1:
                many = "more than one document is" if found else "no document of this chatbot is"
                wrong.append(f"line {number}: {many} called “{title[:80]}”")
            elif taken >= remaining:
                wrong.append(f"line {number} and after: a chatbot has at most {MOST} test questions")
                break
            else:
                pinned = TestQuestion(school_id=self.chatbot.school_id, chatbot=self.chatbot)
                excerpt = row.get("passage", "") if title else ""
                _expecting(pinned, question, found[0], excerpt=plain_cell(excerpt))
                known.add(question)
                taken += 1
        return taken, wrong


def exported(pinned: Iterable[TestQuestion]) -> str:
    """Test questions as CSV for `ImportForm`."""
    return write_csv(TEST_QUESTION_COLUMNS, ((one.question, one.document_title, one.excerpt) for one in pinned))


def documents_of(chatbot: Chatbot) -> dict[str, Expected]:
    """The documents that a chatbot may read, as choices."""
    return {
        f"{kind.value}:{document.pk}": Expected(
            f"{document.title} ({kind.label})", kind.value, document.pk, document.title
        )
        for kind in document_kinds()
        for document in kind.documents_of(chatbot).order_by("title", "pk")  # type: ignore[misc]
    }


def passages_of(message: Message) -> dict[str, Expected]:
    """The sources of an answer as choices, cited ones first."""
    sources = sorted(message.sources.all(), key=lambda source: (not source.is_cited, source.number))
    return {
        str(source.pk): Expected(
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


def signed(chatbot: Chatbot, passage: Passage) -> str:
    """A found passage, signed for a form of this chatbot's test questions."""
    place = location_of(passage)
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


def passage_at(chatbot: Chatbot, key: str) -> dict[str, Expected]:
    """The passage of a key from `signed`; empty if the signature is invalid."""
    try:
        return {key: Expected(**signing.loads(key, salt=str(chatbot.pk)))}
    except signing.BadSignature:
        return {}


def _expecting(pinned: TestQuestion, question: str, expected: Expected, *, excerpt: str = "") -> TestQuestion:
    pinned.question = question
    pinned.is_refused = not expected.kind
    pinned.kind, pinned.document_id = expected.kind, expected.document_id
    pinned.external_id = expected.external_id
    pinned.document_title, pinned.place = expected.title, expected.place
    pinned.excerpt = excerpt or expected.excerpt
    pinned.changed_at = timezone.now()
    pinned.save()
    return pinned
