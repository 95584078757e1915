"""Class links: open, change and close them, and read what was asked."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from classrooms import erasing, links, transcripts
from classrooms.models import ClassLink
from classrooms.serializers import ClassLinkSerializer, TranscriptQuery, TranscriptSerializer
from learning.models import StudyPlan
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import PageQuery, make_page_serializer
from rest.problems import Problem
from rest.views import MemberView
from schools.audit.actions import Action
from schools.models import Membership


class ClassLinkList(MemberView):
    @extend_schema(
        "class_links", tags=["classes"], parameters=[PageQuery], responses=make_page_serializer(ClassLinkSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Your class links. The class links that you have opened, the newest first; those that are over as well."""
        rows = ClassLink.objects.for_member(self.member).prefetch_related("opened__chatbot__plan")
        return self.paginate(rows, ClassLinkSerializer, request=request)

    @extend_schema(
        "create_class_link", tags=["classes"], request=ClassLinkSerializer, responses={201: ClassLinkSerializer}
    )
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        """Open chatbots to a class. Pupils join on the page `url`, or type the `code`: they have no accounts."""
        body = self.body(ClassLinkSerializer)
        paused, closed = body.pop("is_paused", False), body.pop("is_closed", False)
        with transaction.atomic():
            link = _saved(lambda: links.create_link(member=self.member, **_with_tutors(self.member, body)))
            _apply(link, paused, closed)
        return self.respond_created(_shown(request, link), "api:class-link", link.pk)


class ClassLinkDetail(MemberView):
    etags = True

    @extend_schema("class_link", tags=["classes"], responses=ClassLinkSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One class link. One that you have opened, with its code and its state."""
        return add_etag(request, _shown(request, self.find(ClassLink.objects.for_member(self.member), pk)))

    @extend_schema("change_class_link", tags=["classes"], request=ClassLinkSerializer, responses=ClassLinkSerializer)
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Change, pause or close a class link. Only the fields you send change. Pupils meet the change with their next
        question.
        """
        rows = ClassLink.objects.for_member(self.member).select_for_update(of=("self",))
        link = self.find(rows, pk)
        must_match(request, _shown(request, link))
        body = self.body(ClassLinkSerializer, partial=True)
        paused, closed = body.pop("is_paused", None), body.pop("is_closed", None)
        if body.keys() & {"chatbots", "plans"}:
            shown = _shown(request, link)
            body = {"chatbots": shown["chatbots"], "plans": shown["plans"], **body}
        _saved(lambda: links.change_link(link=link, member=self.member, **_with_tutors(self.member, body, link)))
        _apply(link, paused, closed)
        return add_etag(request, _shown(request, link))

    @extend_schema("delete_class_link", tags=["classes"], responses={204: None})
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Erase a class. The link, its pupils and everything that they asked, at once. To keep that, set
        `is_closed`.
        """
        link = self.find(ClassLink.objects.for_member(self.member), pk)
        must_match(request, _shown(request, link))
        erasing.erase_class(link, asked_by=self.member)
        return Response(status=204)


class Transcripts(MemberView):
    @extend_schema(
        "class_transcripts",
        tags=["classes"],
        parameters=[TranscriptQuery],
        responses=make_page_serializer(TranscriptSerializer),
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """What was asked in a class. Each question of a pupil with its newest answer, the newest first. Without names,
        questions with a concern are left out.
        """
        link = self.find(ClassLink.objects.for_member(self.member), pk)
        query = self.query(TranscriptQuery)
        transcripts.record_look(Action.CLASS_READ, link)
        rows = transcripts.search_questions(link, outcome=query.get("outcome", ""))
        if name := query.get("pupil"):
            rows = rows.filter(chat__participant__pupil__nickname=name)
        if not query["names"]:
            rows = rows.exclude(transcripts.build_concern_filter())
        return self.paginate(rows, TranscriptSerializer, query, names=query["names"])


def _with_tutors(member: Membership, body: dict[str, Any], link: ClassLink | None = None) -> dict[str, Any]:
    """The chatbots with the tutors of the study plans. Raises Problem for a plan that is not the member's own, or has
    too few questions and is not open to the class already."""
    if not body.keys() & {"chatbots", "plans"}:
        return body
    plans = set(body.pop("plans", []))
    tutors = StudyPlan.objects.for_member(member).filter(pk__in=plans).values_list("tutor", flat=True)
    found = [key for key in tutors if key]
    if len(found) != len(plans):
        words = "One of these study plans is not yours, or has been deleted."
        raise Problem(400, words, errors={"plans": [words]})
    wanted = [*body.get("chatbots", []), *found]
    tutors = links.list_own_chatbots(member).filter(pk__in=wanted, is_tutor=True)
    if tutors.exclude(pk__in=links.list_offered_chatbots(member, link)).exists():
        words = "One of these study plans has fewer than eight questions that pupils may get. Its page says what to do."
        raise Problem(400, words, errors={"plans": [words]})
    return body | {"chatbots": wanted}


def _saved(work: Any) -> Any:
    try:
        return work()
    except links.LinkRefused as reason:
        errors = {reason.field: [str(reason)]} if reason.field else {}
        raise Problem(400, str(reason), errors=errors) from None


def _apply(link: ClassLink, paused: bool | None, closed: bool | None) -> None:
    if paused is not None and paused != (link.paused_at is not None):
        links.pause(link, is_paused=paused)
    if closed is not None and closed != (link.closed_at is not None):
        links.close(link, is_closed=closed)


def _shown(request: Request, link: ClassLink) -> dict[str, Any]:
    return dict(ClassLinkSerializer(link, context={"request": request}).data)
