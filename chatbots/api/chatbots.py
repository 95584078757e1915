"""Chatbots and the documents that they may read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots import services
from chatbots.api.chatbot_serializers import ChatbotQuery, ChatbotSerializer
from chatbots.api.source_serializers import MODES_OF_KINDS, LinkedSerializer
from chatbots.conversations.deletion import restore_chatbot
from chatbots.models import Chatbot
from chatbots.sharing.access import find_editable, find_own, find_own_with_deleted
from chatbots.sharing.revocation import delete_chatbot
from corpus.source_kinds import Participation, list_document_kinds
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import make_page_serializer
from rest.problems import Problem
from rest.views import MemberView
from schools.models import Membership

NOT_YOURS = "Only the owner of the chatbot chooses its personal documents. Nothing was changed."


class ChatbotList(MemberView):
    @extend_schema(
        "chatbots", tags=["chatbots"], parameters=[ChatbotQuery], responses=make_page_serializer(ChatbotSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Your chatbots. Your own chatbots in this school and those that colleagues share with you, by name."""
        query = self.query(ChatbotQuery)
        chatbots = Chatbot.objects.visible_to(self.member).described_for(self.member).prefetch_related("sources")
        if kind := query.get("kind"):
            chatbots = chatbots.filter(kind=kind)
        return self.paginate(chatbots, ChatbotSerializer, query, order=("name", "pk"))

    @extend_schema("create_chatbot", tags=["chatbots"], request=ChatbotSerializer, responses={201: ChatbotSerializer})
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        """Create a chatbot. It reads nothing until it has sources."""
        try:
            chatbot = services.create_chatbot(member=self.member, **self.body(ChatbotSerializer))
        except services.ChatbotRefused as reason:
            raise Problem(400, str(reason), errors={reason.field: [str(reason)]}) from None
        return self.respond_created(present_chatbot(self.member, chatbot), "api:chatbot", chatbot.pk)


class ChatbotDetail(MemberView):
    etags = True

    @extend_schema("chatbot", tags=["chatbots"], responses=ChatbotSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One chatbot. A chatbot of your own, or one that a colleague shares with you."""
        return add_etag(request, present_chatbot(self.member, self.find(Chatbot.objects.visible_to(self.member), pk)))

    @extend_schema("change_chatbot", tags=["chatbots"], request=ChatbotSerializer, responses=ChatbotSerializer)
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Change a chatbot. Only the fields you send change. The next question uses them. The role `reader` may not."""
        chatbot = find_editable(self.member, pk, lock=True)
        must_match(request, present_chatbot(self.member, chatbot))
        try:
            services.change_chatbot(chatbot=chatbot, **self.body(ChatbotSerializer, partial=True))
        except services.ChatbotRefused as reason:
            raise Problem(400, str(reason), errors={reason.field: [str(reason)]}) from None
        return add_etag(request, present_chatbot(self.member, chatbot))

    @extend_schema("delete_chatbot", tags=["chatbots"], responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Delete a chatbot. It is hidden at once with all of its conversations, listed under “Recently deleted” on the
        pages, and erased later. Until then it can be restored. Its documents stay. Only its owner may.
        """
        found = find_own(self.member, pk)
        chatbot = self.find(Chatbot.objects.for_member(self.member).select_for_update(no_key=True), found.pk)
        must_match(request, present_chatbot(self.member, chatbot))
        delete_chatbot(chatbot)
        return Response(status=204)


class RestoreChatbot(MemberView):
    @extend_schema("restore_chatbot", tags=["chatbots"], request=None, responses=ChatbotSerializer)
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Restore a deleted chatbot. With its conversations. One that was not deleted stays as it is. Only its owner
        may.
        """
        chatbot = find_own_with_deleted(self.member, pk)
        restore_chatbot(chatbot)
        return Response(present_chatbot(self.member, chatbot))


class ChatbotSources(MemberView):
    etags = True

    @extend_schema("chatbot_sources", tags=["chatbots"], responses=LinkedSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """What a chatbot may read. The ids of its documents: your own, and those of the library that are published. And
        how each kind of source without documents takes part. Of a chatbot that a colleague shares with you `personal`
        is empty.
        """
        return add_etag(request, _linked(self.find(Chatbot.objects.visible_to(self.member), pk), self.member))

    @extend_schema(
        "set_chatbot_sources",
        tags=["chatbots"],
        request=LinkedSerializer,
        responses={
            200: LinkedSerializer,
            400: OpenApiResponse(
                description="Such as an id of a document that you cannot reach, or a kind that the school does not "
                "allow; `errors` names it."
            ),
        },
    )
    @transaction.atomic
    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Set what a chatbot may read. Exactly these documents from now on. If you cannot reach one of them, the
        request is refused and nothing changes. Links to library documents that are currently withdrawn stay. With
        `kinds`, a list of documents that is left out stays as it is. A kind that the school does not allow is refused.
        Personal documents are chosen only by the owner: what the chatbot has of them stays when an editor sends none.
        """
        chatbot = find_editable(self.member, pk, lock=True)
        is_own = chatbot.owner_id == self.member.user_id
        must_match(request, _linked(chatbot, self.member))
        wanted = self.body(LinkedSerializer)
        if not is_own and wanted.pop("personal", None):
            raise Problem(400, NOT_YOURS, errors={"personal": [NOT_YOURS]})
        errors = {
            kind.value: unknown
            for kind in list_document_kinds()
            if kind.documents_for and kind.value in wanted
            if (unknown := _unknown(kind.documents_for(self.member), wanted[kind.value]))
        }
        if errors:
            raise Problem(400, "There are documents that you cannot reach. Nothing was changed.", errors=errors)
        if "kinds" in wanted:
            _set_kinds(chatbot, wanted["kinds"])
        if "personal" in wanted:
            services.set_personal_documents(chatbot=chatbot, member=self.member, documents=wanted["personal"])
        if "school" in wanted:
            services.set_school_documents(chatbot=chatbot, member=self.member, documents=wanted["school"])
        return add_etag(request, _linked(chatbot, self.member))


def present_chatbot(member: Membership, chatbot: Chatbot) -> dict[str, object]:
    """The chatbot as this member sees it, read anew."""
    rows = Chatbot.objects.visible_to(member).described_for(member)
    data: dict[str, Any] = ChatbotSerializer(get_object_or_404(rows, pk=chatbot.pk)).data
    return data


def _linked(chatbot: Chatbot, member: Membership) -> dict[str, object]:
    """What it may read; a colleague is not told which documents of its owner."""
    is_own = chatbot.owner_id == member.user_id
    documents = {
        kind.value: sorted(kind.find_documents(chatbot).values_list("pk", flat=True))
        if is_own or not kind.is_private
        else []
        for kind in list_document_kinds()
        if kind.find_documents
    }
    kinds = {
        row.kind: {
            "mode": MODES_OF_KINDS[Participation(row.participation)],
            "weight": row.weight,
            "allowed": row.is_allowed,
        }
        for row in chatbot.all_sources()
        if row.source_kind.find_documents is None
    }
    return documents | {"kinds": kinds}


def _set_kinds(chatbot: Chatbot, kinds: Mapping[str, Any]) -> None:
    modes = {mode: participation for participation, mode in MODES_OF_KINDS.items()}
    wanted = {name: (modes[one["mode"]], one["weight"] if one["mode"] == "share" else 0) for name, one in kinds.items()}
    try:
        services.set_kinds(chatbot, wanted)
    except services.ChatbotRefused as reason:
        raise Problem(400, f"{reason} Nothing was changed.", errors={"kinds": [str(reason)]}) from None


def _unknown(documents: QuerySet[Any], wanted: Iterable[UUID]) -> list[str]:
    """An error message for each id that is not among the documents."""
    keys = set(wanted)
    known: set[UUID] = set(documents.filter(pk__in=keys).values_list("pk", flat=True))
    return [f"There is no document {key} here." for key in sorted(keys - known)]
