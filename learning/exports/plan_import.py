"""Import a plan from a file: everything is checked first, and no text is taken for more than the file can prove."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from chatbots.models import Chatbot
from chatbots.services import set_personal_documents, set_school_documents
from learning.exports.imported import IMPORTED
from learning.exports.plan_format import MOST_BYTES, PlanFileSerializer
from learning.models import Concept, ConceptSource, PlanStatus, Prerequisite, Question, StudyPlan
from learning.planning.changes import document_text, flat
from learning.planning.instructions import instructions_for
from learning.planning.material import offered_documents, offered_kinds
from schools.models import Membership

_SAME = ["title", "topic", "language", "most_concepts", "tutor_style", "session_minutes", "shows_unreviewed", "made_by"]
"""Fields of a plan that have the same name in the file."""

_WEB = re.compile(r"https?://[^\s/]\S*")


class ImportRefused(Exception):
    """The file is no plan; the message says what is wrong and where."""


def import_json(*, member: Membership, data: bytes) -> StudyPlan:
    """Store the plan of a file that `export_json` wrote. Raises ImportRefused, and stores nothing then."""
    if len(data) > MOST_BYTES:
        raise ImportRefused(f"The file is larger than {MOST_BYTES // 1024**2} MB.")
    try:
        content = json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ImportRefused("This is no JSON file in UTF-8.") from None
    if not isinstance(content, dict):
        raise ImportRefused("This is no study plan of Lectern.")
    serializer = PlanFileSerializer(data=content)
    if not serializer.is_valid():
        raise ImportRefused(_in_words(serializer.errors))
    return import_content(member=member, content=serializer.validated_data)


@transaction.atomic
def import_content(*, member: Membership, content: Mapping[str, Any]) -> StudyPlan:
    """Store the content of a file that `PlanFileSerializer` has checked. Raises ImportRefused.

    A source is a document again only if the member may read that very document and it contains the excerpt. Everything
    else becomes a text of the kind `IMPORTED`, with its web address, or that of its own page.
    """
    known = _KnownDocuments(member)
    plan = _plan(member, content)
    concepts = _concepts(plan, content["concepts"])
    sources: list[ConceptSource] = []
    questions: list[Question] = []
    for one in content["concepts"]:
        concept = concepts[one["id"]]
        sources += [_source(concept, values, known) for values in one["sources"]]
        questions += [_question(concept, values) for values in one["questions"]]
    ConceptSource.objects.bulk_create(sources)
    Question.objects.bulk_create(questions)
    linked = set().union(*known.linked.values())
    set_personal_documents(chatbot=plan.tutor, member=member, documents=linked)
    set_school_documents(chatbot=plan.tutor, member=member, documents=linked)
    return plan


class _KnownDocuments:
    """The documents that the member may read, with their texts; `linked` has those that sources were found in."""

    def __init__(self, member: Membership) -> None:
        self._offered = {kind.value: documents for kind, documents in offered_documents(member)}
        self._texts: dict[tuple[str, UUID, int], str] = {}
        self.linked: dict[str, set[UUID]] = defaultdict(set)

    def contains(self, kind: str, key: UUID, version: int, excerpt: str) -> bool:
        """Whether the member may read this document, in this version or a later one, and it contains the excerpt."""
        text = self._texts.get((kind, key, version))
        if text is None:
            text = self._texts[kind, key, version] = self._read(kind, key, version)
        found = bool(excerpt) and excerpt in text
        if found:
            self.linked[kind].add(key)
        return found

    def _read(self, kind: str, key: UUID, version: int) -> str:
        document = self._offered[kind].filter(pk=key).first() if kind in self._offered else None
        if document is None or not document.versions.filter(number=version).exists():
            return ""
        return document_text(document)


def _plan(member: Membership, content: Mapping[str, Any]) -> StudyPlan:
    allowed = {kind.value for kind in offered_kinds(member.school)}
    tutor = Chatbot.objects.create(
        school=member.school,
        owner=member.user,
        name=content["title"][:100],
        language=content["language"],
        instructions=instructions_for(content["tutor_style"]),
        is_tutor=True,
    )
    return StudyPlan.objects.create(
        school=member.school,
        owner=member.user,
        tutor=tutor,
        status=PlanStatus.READY,
        kinds=[kind for kind in dict.fromkeys(content["kinds"]) if kind in allowed],
        **{name: content[name] for name in _SAME},
    )


def _concepts(plan: StudyPlan, contents: list[dict[str, Any]]) -> dict[str, Concept]:
    now = timezone.now()
    concepts = {
        one["id"]: Concept(
            school_id=plan.school_id,
            plan=plan,
            position=position,
            name=one["name"],
            definition=one["definition"],
            definition_source=one["definition_source"],
            synonyms=one["synonyms"],
            is_edited=one["edited"],
            sources_at=now,
            questions_at=now,
        )
        for position, one in enumerate(contents)
    }
    links = [
        Prerequisite(school_id=plan.school_id, concept=concepts[one["id"]], requires=concepts[key])
        for one in contents
        for key in dict.fromkeys(one["prerequisites"])
    ]
    try:
        with transaction.atomic():
            Concept.objects.bulk_create(concepts.values())
            Prerequisite.objects.bulk_create(links)
    except IntegrityError:
        raise ImportRefused("The names of two concepts are too alike, or the prerequisites form a circle.") from None
    return concepts


def _source(concept: Concept, values: Mapping[str, Any], known: _KnownDocuments) -> ConceptSource:
    lines = values["lines"] or (None, None)
    source = ConceptSource(
        school_id=concept.school_id,
        concept=concept,
        number=values["number"],
        kind=IMPORTED.value,
        document_title=values["title"],
        revision=values["revision"],
        read_at=values["read_at"],
        media_type=values["media_type"],
        heading_path=values["section"],
        page=values["page"],
        line_start=lines[0],
        line_end=lines[1],
        file_path=values["file_path"],
        label=values["label"],
        position=values["position"],
        excerpt=values["excerpt"],
        text=values["text"] or values["excerpt"],
        is_recognised=values["recognised"],
        is_current=values["current"],
    )
    document = values["document"]
    if document and known.contains(values["kind"], document["id"], document["version"], flat(values["excerpt"])):
        source.kind, source.document_id, source.version = values["kind"], document["id"], document["version"]
    elif _WEB.fullmatch(values["address"]):
        source.address = values["address"]
    else:
        source.address = reverse("learning:source", args=[source.pk])
    return source


def _question(concept: Concept, values: Mapping[str, Any]) -> Question:
    return Question(
        school_id=concept.school_id,
        concept=concept,
        kind=values["kind"],
        prompt=values["prompt"],
        options=values["options"],
        targets=values["targets"],
        answer=values["answer"],
        explanation=values["explanation"],
        source_numbers=sorted(set(values["sources"])),
        made_by=values["made_by"],
        review=values["review"],
        is_edited=values["edited"],
        is_outdated=values["outdated"],
    )


def _no_number(_name: str) -> None:
    raise ValueError("NaN and Infinity are no JSON.")


def _in_words(errors: Any, place: str = "") -> str:
    """The first error with its place, such as “concepts.0.name: This field may not be blank.”"""
    if isinstance(errors, Mapping):
        for name, inner in errors.items():
            if inner:
                path = place if name == "non_field_errors" else ".".join(filter(None, (place, str(name))))
                return _in_words(inner, path)
    if isinstance(errors, list):
        for index, inner in enumerate(errors):
            if isinstance(inner, Mapping | list) and inner:
                return _in_words(inner, f"{place}.{index}")
            if inner:
                return f"{place}: {inner}" if place else str(inner)
    return place
