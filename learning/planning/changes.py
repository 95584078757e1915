"""Which concepts of a plan have a document that changed since."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from learning.models import Concept, ConceptSource, StudyPlan
from learning.planning.material import plan_documents


def find_outdated_concepts(plan: StudyPlan) -> list[Concept]:
    return list(plan.active_concepts().filter(pk__in={source.concept_id for source in find_outdated_sources(plan)}))


def find_outdated_sources(plan: StudyPlan) -> list[ConceptSource]:
    """Current sources whose document is not there any more, or has a newer version without this passage.

    A passage that a newer version still contains word for word is up to date.
    """
    sources = ConceptSource.objects.filter(concept__plan=plan, is_current=True, document_id__isnull=False)
    by_document: dict[UUID, list[ConceptSource]] = defaultdict(list)
    for source in sources.filter(concept__removed_at__isnull=True):
        if source.document_id:
            by_document[source.document_id].append(source)
    readable = {document.pk: document for _, document in plan_documents(plan)}
    return [source for key, cited in by_document.items() for source in _changed(cited, readable.get(key))]


def _changed(cited: list[ConceptSource], document: Any) -> list[ConceptSource]:
    """Those sources of one document that it does not contain any more."""
    if document is None:
        return cited
    if all(source.version == document.answering_version for source in cited):
        return []
    text = " ".join("".join(document.chunks.order_by("position").values_list("text", flat=True)).split())
    return [source for source in cited if " ".join(source.excerpt.split()) not in text]
