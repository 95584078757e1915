"""Sharing a chatbot with colleagues and as a template; copying and archiving one (ADR 26)."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.api.chatbot_serializers import ChatbotSerializer
from chatbots.api.chatbots import present_chatbot
from chatbots.api.sharing_serializers import (
    ColleagueSerializer,
    ConsentSerializer,
    NewShareSerializer,
    ShareSerializer,
    TemplateSerializer,
)
from chatbots.models import Chatbot, ChatbotRole, Collaborator
from chatbots.sharing import colleagues, revocation
from chatbots.sharing.access import find_offered, find_own
from chatbots.sharing.copying import copy_chatbot
from chatbots.sharing.listing import list_templates, set_archived
from rest.idempotency import idempotent
from rest.pagination import PageQuery, make_page_serializer
from rest.problems import Problem
from rest.views import MemberView

UNKNOWN = "There is no such colleague with whom it is not shared yet. Nothing was changed."


class Shares(MemberView):
    @extend_schema("shares", tags=["chatbots"], parameters=[PageQuery], responses=make_page_serializer(ShareSerializer))
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """With whom a chatbot is shared. The oldest first. Only its owner may."""
        rows = find_own(self.member, pk).collaborators.select_related("membership__user")
        return self.paginate(rows, ShareSerializer, order=("created_at", "pk"))

    @extend_schema(
        "share_chatbot",
        tags=["chatbots"],
        request=NewShareSerializer,
        responses={
            201: ShareSerializer,
            400: OpenApiResponse(
                description="Such as the address of nobody in your school, or of a colleague with whom it is shared "
                "already; `errors` names it."
            ),
        },
    )
    @idempotent
    @transaction.atomic
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Share a chatbot with a colleague. They find it in their list and ask it in conversations of their own, which
        nobody else reads. Only its owner may.
        """
        chatbot = find_own(self.member, pk)
        wanted = self.body(NewShareSerializer)
        colleague = colleagues.list_candidates(chatbot).filter(user__email__iexact=wanted["colleague"]).first()
        if colleague is None:
            raise Problem(400, UNKNOWN, errors={"colleague": [UNKNOWN]})
        if "documents" in wanted:
            revocation.set_document_consent(chatbot, is_given=wanted["documents"])
        try:
            row = colleagues.share_with(
                chatbot=chatbot, owner=self.member, colleague=colleague, role=ChatbotRole(wanted["role"])
            )
        except colleagues.SharingRefused as reason:
            raise Problem(409, str(reason)) from None
        return self.respond_created(ShareSerializer(row).data, "api:share", row.pk)


class ShareDetail(MemberView):
    @extend_schema("change_share", tags=["chatbots"], request=ShareSerializer, responses=ShareSerializer)
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Change what a colleague may do. Of your own chatbots."""
        row = self.find(Collaborator.objects.for_owner(self.member).select_related("membership__user"), pk)
        if role := self.body(ShareSerializer, partial=True).get("role"):
            colleagues.set_colleague_role(row, ChatbotRole(role))
        return Response(ShareSerializer(row).data)

    @extend_schema("stop_sharing", tags=["chatbots"], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Stop sharing with a colleague. At once: answers that are being written to them stop, and their conversations
        with it are hidden. Those come back if you share it again.
        """
        rows = Collaborator.objects.for_owner(self.member).select_related("membership__user")
        colleagues.stop_sharing(self.find(rows, pk))
        return Response(status=204)


class Colleagues(MemberView):
    @extend_schema(
        "colleagues", tags=["chatbots"], parameters=[PageQuery], responses=make_page_serializer(ColleagueSerializer)
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Colleagues with whom a chatbot can be shared. Members of your school with whom it is not shared yet. Only its
        owner may.
        """
        return self.paginate(colleagues.list_candidates(find_own(self.member, pk)), ColleagueSerializer)


class Consent(MemberView):
    @extend_schema("consent", tags=["chatbots"], responses=ConsentSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Whether colleagues get answers from your documents. Only the owner of the chatbot may."""
        return Response(ConsentSerializer(find_own(self.member, pk)).data)

    @extend_schema("set_consent", tags=["chatbots"], request=ConsentSerializer, responses=ConsentSerializer)
    @transaction.atomic
    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Let colleagues have answers from your documents, or not. It counts for all colleagues. When it ends, answers
        that are being written to them stop; those that they have stay. Nobody else can open your documents. Only the
        owner of the chatbot may.
        """
        chatbot = find_own(self.member, pk)
        given = self.body(ConsentSerializer)["colleagues_get_documents"]
        revocation.set_document_consent(chatbot, is_given=given)
        return Response({"documents": given})


class Templates(MemberView):
    @extend_schema(
        "templates", tags=["chatbots"], parameters=[PageQuery], responses=make_page_serializer(TemplateSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Templates of your school. Chatbots that members offer for copying, by name."""
        return self.paginate(list_templates(self.member), TemplateSerializer, order=("name", "pk"))


class Template(MemberView):
    @extend_schema("offer_template", tags=["chatbots"], request=None, responses={204: None})
    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Offer a chatbot as a template. Every member of your school may then copy its settings, instructions and
        library documents. Your own documents and conversations are not in a copy. Only its owner may.
        """
        colleagues.set_template(find_own(self.member, pk), is_template=True)
        return Response(status=204)

    @extend_schema("withdraw_template", tags=["chatbots"], responses={204: None})
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Stop offering a template. Copies that were made stay. The owner may, and admins for every template of the
        school.
        """
        colleagues.set_template(find_offered(self.member, pk), is_template=False)
        return Response(status=204)


class Copy(MemberView):
    @extend_schema("copy_chatbot", tags=["chatbots"], request=None, responses={201: ChatbotSerializer})
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Copy a chatbot. Yours, one that is shared with you, or a template of your school. The copy is yours: it has
        the settings and the published library documents; personal documents only if they are yours.
        """
        copy = copy_chatbot(chatbot=self.find(Chatbot.objects.copyable_by(self.member), pk), member=self.member)
        return self.respond_created(present_chatbot(self.member, copy), "api:chatbot", copy.pk)


class ArchiveChatbot(MemberView):
    @extend_schema("archive_chatbot", tags=["chatbots"], request=None, responses=ChatbotSerializer)
    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Archive a chatbot. It is folded away in your own list on the pages. Nothing else changes, and nobody else’s
        list.
        """
        return Response(self._set(pk, is_archived=True))

    @extend_schema("unarchive_chatbot", tags=["chatbots"], responses={200: ChatbotSerializer})
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Bring an archived chatbot back. One that is not archived stays as it is."""
        return Response(self._set(pk, is_archived=False))

    def _set(self, pk: UUID, *, is_archived: bool) -> dict[str, object]:
        chatbot = self.find(Chatbot.objects.visible_to(self.member), pk)
        set_archived(chatbot, self.member, is_archived=is_archived)
        return present_chatbot(self.member, chatbot)
