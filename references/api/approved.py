"""REST API of approved pages, for the admins of a school."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from references.api.serializers import ApprovedTopicSerializer, QueuedSerializer
from references.approved import topics
from references.approved.queue import queue_school
from references.approved.topics import TopicRefused
from references.models import ApprovedTopic
from references.outside_calls import may_call_outside
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import PageQuery, make_page_serializer
from rest.problems import Problem
from rest.serializers import ProblemSerializer
from rest.views import MemberView


class TopicList(MemberView):
    @extend_schema(
        "approved_topics",
        tags=["approved"],
        parameters=[PageQuery],
        responses=make_page_serializer(ApprovedTopicSerializer),
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The topics of approved pages. All topics of the school with their pages, by name. For admins."""
        self.must_be_admin()
        found = ApprovedTopic.objects.for_member(self.member).prefetch_related("pages")
        return self.paginate(found, ApprovedTopicSerializer, order=("name", "pk"))

    @extend_schema(
        "create_approved_topic",
        tags=["approved"],
        request=ApprovedTopicSerializer,
        responses={201: ApprovedTopicSerializer},
    )
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        """Add a topic. Its pages are read in the background; with an address you approve what stands there. For
        admins.
        """
        self.must_be_admin()
        sent = _values(self.body(ApprovedTopicSerializer))
        try:
            topic = topics.create_topic(school=self.member.school, **({"addresses": []} | sent))
        except TopicRefused as reason:
            raise _problem(reason) from None
        return self.respond_created(ApprovedTopicSerializer(topic).data, "api:approved-topic", topic.pk)


class TopicDetail(MemberView):
    etags = True

    @extend_schema("approved_topic", tags=["approved"], responses=ApprovedTopicSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One topic. A topic with its pages. For admins."""
        return add_etag(request, ApprovedTopicSerializer(self._find(pk)).data)

    @extend_schema(
        "change_approved_topic", tags=["approved"], request=ApprovedTopicSerializer, responses=ApprovedTopicSerializer
    )
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Change a topic. Only the fields you send change. A page whose address stays keeps its approved text; one that
        is left out is gone with the next question. For admins.
        """
        topic = self._find(pk, lock=True)
        must_match(request, ApprovedTopicSerializer(topic).data)
        try:
            topics.change_topic(topic=topic, **_values(self.body(ApprovedTopicSerializer, partial=True)))
        except TopicRefused as reason:
            raise _problem(reason) from None
        return add_etag(request, ApprovedTopicSerializer(self._find(pk)).data)

    @extend_schema("delete_approved_topic", tags=["approved"], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Delete a topic. With its pages, which are gone with the next question. For admins."""
        topic = self._find(pk, lock=True)
        must_match(request, ApprovedTopicSerializer(topic).data)
        topics.delete_topic(topic)
        return Response(status=204)

    def _find(self, pk: UUID, *, lock: bool = False) -> ApprovedTopic:
        found = ApprovedTopic.objects.for_member(self.member)
        topic = self.find(found.select_for_update(no_key=True) if lock else found, pk)
        self.must_be_admin()
        return topic


class Warm(MemberView):
    @extend_schema(
        "warm_approved_pages",
        tags=["approved"],
        request=None,
        responses={202: QueuedSerializer, 422: ProblemSerializer},
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Read all approved pages again. In the background, as every night: the pages of the school are fetched into
        the cache, and what has changed is noticed. While pages are still waiting to be read, no others are added. For
        admins.
        """
        self.must_be_admin()
        if not may_call_outside(self.member.school):
            raise Problem(422, "Calls to the outside are switched off, so no page can be read.")
        number = queue_school(self.member.school)
        return Response(QueuedSerializer({"pages": number}).data, status=202)


def _values(sent: dict[str, Any]) -> dict[str, Any]:
    """What was sent, as the services take it."""
    values = {name: sent[name] for name in ("name", "keywords") if name in sent}
    if "pages" in sent:
        values["addresses"] = [page["address"] for page in sent["pages"]]
    return values


def _problem(reason: TopicRefused) -> Problem:
    field = "pages" if reason.field == "addresses" else reason.field
    return Problem(400, str(reason), errors={field: reason.reasons})
