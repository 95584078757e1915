"""Conversations and their messages."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.api.presenting import present_answer
from chatbots.api.serializers import AnswerSerializer, ChatChangeSerializer, ChatQuery, ChatSerializer
from chatbots.conversations import deletion
from chatbots.conversations.listing import search_chats
from chatbots.models import Chat
from rest.etags import add_etag, must_match
from rest.pagination import PageQuery, make_page_serializer, paginate
from rest.views import MemberView


class ChatList(MemberView):
    @extend_schema(
        operation_id="chats",
        tags=["conversations"],
        summary="Your conversations",
        description="Your conversations in this school, the latest first; filter by chatbot or by words in them.",
        parameters=[ChatQuery],
        responses=make_page_serializer(ChatSerializer),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = self.query(ChatQuery)
        chats = search_chats(self.member, words=query.get("q", "").strip())
        if chatbot := query.get("chatbot"):
            chats = chats.filter(chatbot=chatbot)
        return Response(
            paginate(
                request,
                chats,
                query,
                lambda rows: ChatSerializer(rows, many=True).data,
                order=("-updated_at", "-pk"),
            )
        )


class ChatDetail(MemberView):
    etags = True

    @extend_schema(
        operation_id="chat",
        tags=["conversations"],
        summary="One conversation",
        description="Without its messages: they are under `/chats/{id}/messages`.",
        responses=ChatSerializer,
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        return add_etag(request, ChatSerializer(self._find(pk)).data)

    @extend_schema(
        operation_id="rename_chat",
        tags=["conversations"],
        summary="Rename a conversation",
        description="Before that, its title is its first question.",
        request=ChatChangeSerializer,
        responses=ChatSerializer,
    )
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        chat = self._find(pk, lock=True)
        must_match(request, ChatSerializer(chat).data)
        if title := self.body(ChatChangeSerializer).get("title"):
            Chat.objects.filter(pk=chat.pk).update(title=title)
            chat.title = title
        return add_etag(request, ChatSerializer(chat).data)

    @extend_schema(
        operation_id="delete_chat",
        tags=["conversations"],
        summary="Delete a conversation",
        description="It is hidden at once, listed under “Recently deleted” on the pages, and erased later. Until then "
        "it can be restored.",
        responses={204: None},
    )
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        chat = self._find(pk)
        must_match(request, ChatSerializer(chat).data)
        deletion.delete_chat(chat)
        return Response(status=204)

    def _find(self, pk: UUID, *, lock: bool = False) -> Chat:
        chats: QuerySet[Chat] = search_chats(self.member)
        return self.find(chats.select_for_update(of=("self",), no_key=True) if lock else chats, pk)


class RestoreChat(MemberView):
    @extend_schema(
        operation_id="restore_chat",
        tags=["conversations"],
        summary="Restore a deleted conversation",
        description="With all its messages. One that was not deleted stays as it is.",
        request=None,
        responses=ChatSerializer,
    )
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        deletion.restore_chat(self.find(Chat.objects.for_member_with_deleted(self.member), pk))
        chats: QuerySet[Chat] = search_chats(self.member)
        return Response(ChatSerializer(self.find(chats, pk)).data)


class ChatMessages(MemberView):
    @extend_schema(
        operation_id="chat_messages",
        tags=["conversations"],
        summary="The messages of a conversation",
        description="Questions with their answers in order, each with its citations and sources. A question that was "
        "answered again has several messages; the later ones name the first in `version_of`. An unfinished answer has "
        "the text so far.",
        parameters=[PageQuery],
        responses=make_page_serializer(AnswerSerializer),
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        chat = self.find(Chat.objects.for_member(self.member), pk)
        query = self.query(PageQuery)
        messages = chat.messages.prefetch_related("sources")
        order = ("created_at", "pk")
        return Response(paginate(request, messages, query, lambda rows: list(map(present_answer, rows)), order=order))
