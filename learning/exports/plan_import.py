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
from learning.exports.plan_json import MAX_BYTES, PlanFileSerializer
from learning.models import Concept, ConceptSource, PlanStatus, Prerequisite, Question, StudyPlan
from learning.planning.changes import collapse_spaces, document_text
from learning.planning.instructions import get_instructions
from learning.planning.material import list_offered_documents, list_offered_kinds
from schools.models import Membership

_WEB = re.compile(r"https?://[^\s/]\S*")


class ImportRefused(Exception):
    """The file is no plan; the message says what is wrong and where."""


def import_json(*, member: Membership, data: bytes) -> StudyPlan:
    """Store the plan of a file that `export_json` wrote. Raises ImportRefused, and stores nothing then."""
    if len(data) > MAX_BYTES:
        raise ImportRefused(f"The file is larger than {MAX_BYTES // 1024**2} MB.")
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
def import_content(*, member: Membership, content: dict[str, Any]) -> StudyPlan:
    """Store the content of a file that `PlanFileSerializer` has checked. Raises ImportRefused.

    A source is a document again only if the member may read that very document and it contains the excerpt. Everything
    else becomes a text of the kind `IMPORTED`, with its web address, or that of its own page.
    """
    known = _KnownDocuments(member)
    plan = _make_plan(member, content)
    concepts = _make_concepts(plan, content["concepts"])
    sources: list[ConceptSource] = []
    questions: list[Question] = []
    for one in content["concepts"]:
        of_concept = {"school_id": plan.school_id, "concept": concepts[one["id"]]}
        sources += [_make_source(values | of_concept, known) for values in one["sources"]]
        questions += [
            Question(**values | of_concept | {"source_numbers": sorted(set(values["source_numbers"]))})
            for values in one["questions"]
        ]
    ConceptSource.objects.bulk_create(sources)
    Question.objects.bulk_create(questions)
    linked = set().union(*known.linked.values())
    set_personal_documents(chatbot=plan.tutor, member=member, documents=linked)
    set_school_documents(chatbot=plan.tutor, member=member, documents=linked)
    return plan


class _KnownDocuments:
    """The documents that the member may read, with their texts; `linked` has those that sources were found in."""

    def __init__(self, member: Membership) -> None:
        self._offered = {kind.value: documents for kind, documents in list_offered_documents(member)}
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


def _make_plan(member: Membership, content: Mapping[str, Any]) -> StudyPlan:
    allowed = {kind.value for kind in list_offered_kinds(member.school)}
    values = _leave_out(content, "format", "version", "concepts", "kinds")
    plan = StudyPlan(school=member.school, owner=member.user, status=PlanStatus.READY, **values)
    plan.kinds = [kind for kind in dict.fromkeys(content.get("kinds", [])) if kind in allowed]
    plan.tutor = Chatbot.objects.create(
        school=member.school,
        owner=member.user,
        name=plan.title[:100],
        language=plan.language,
        instructions=get_instructions(plan.tutor_style),
        is_tutor=True,
    )
    plan.save()
    return plan


def _make_concepts(plan: StudyPlan, contents: list[dict[str, Any]]) -> dict[str, Concept]:
    of_plan = {"school_id": plan.school_id, "plan": plan} | dict.fromkeys(
        ("sources_at", "questions_at"), timezone.now()
    )
    concepts = {
        one["id"]: Concept(position=n, **of_plan, **_leave_out(one, "id", "prerequisites", "sources", "questions"))
        for n, one in enumerate(contents)
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


def _make_source(values: dict[str, Any], known: _KnownDocuments) -> ConceptSource:
    document, lines, address = values.pop("document"), values.pop("lines"), values.pop("address", "")
    kind, excerpt = values.pop("kind"), values["excerpt"]
    source = ConceptSource(**values, kind=IMPORTED.value)
    source.text = source.text or excerpt
    source.line_start, source.line_end = lines or (None, None)
    if document and known.contains(kind, document["id"], document["version"], collapse_spaces(excerpt)):
        source.kind, source.document_id, source.version = kind, document["id"], document["version"]
    else:
        source.address = address if _WEB.fullmatch(address) else reverse("learning:source", args=[source.pk])
    return source


def _leave_out(values: Mapping[str, object], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


def _no_number(_name: str) -> None:
    raise ValueError("NaN and Infinity are no JSON.")


def _in_words(errors: object, place: str = "") -> str:
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
