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
        "chats", tags=["conversations"], parameters=[ChatQuery], responses=make_page_serializer(ChatSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Your conversations. Your conversations in this school, the latest first; filter by chatbot or by words in
        them.
        """
        query = self.query(ChatQuery)
        chats = search_chats(self.member, words=query.get("q", "").strip())
        if chatbot := query.get("chatbot"):
            chats = chats.filter(chatbot=chatbot)
        return self.paginate(chats, ChatSerializer, query, order=("-updated_at", "-pk"))


class ChatDetail(MemberView):
    etags = True

    @extend_schema("chat", tags=["conversations"], responses=ChatSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One conversation. Without its messages: they are under `/chats/{id}/messages`."""
        return add_etag(request, ChatSerializer(self._find(pk)).data)

    @extend_schema("rename_chat", tags=["conversations"], request=ChatChangeSerializer, responses=ChatSerializer)
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Rename a conversation. Before that, its title is its first question."""
        chat = self._find(pk, lock=True)
        must_match(request, ChatSerializer(chat).data)
        if title := self.body(ChatChangeSerializer).get("title"):
            Chat.objects.filter(pk=chat.pk).update(title=title)
            chat.title = title
        return add_etag(request, ChatSerializer(chat).data)

    @extend_schema("delete_chat", tags=["conversations"], responses={204: None})
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Delete a conversation. It is hidden at once, listed under “Recently deleted” on the pages, and erased later.
        Until then it can be restored.
        """
        chat = self._find(pk)
        must_match(request, ChatSerializer(chat).data)
        deletion.delete_chat(chat)
        return Response(status=204)

    def _find(self, pk: UUID, *, lock: bool = False) -> Chat:
        chats: QuerySet[Chat] = search_chats(self.member)
        return self.find(chats.select_for_update(of=("self",), no_key=True) if lock else chats, pk)


class RestoreChat(MemberView):
    @extend_schema("restore_chat", tags=["conversations"], request=None, responses=ChatSerializer)
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Restore a deleted conversation. With all its messages. One that was not deleted stays as it is."""
        deletion.restore_chat(self.find(Chat.objects.for_member_with_deleted(self.member), pk))
        chats: QuerySet[Chat] = search_chats(self.member)
        return Response(ChatSerializer(self.find(chats, pk)).data)


class ChatMessages(MemberView):
    @extend_schema(
        "chat_messages",
        tags=["conversations"],
        parameters=[PageQuery],
        responses=make_page_serializer(AnswerSerializer),
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """The messages of a conversation. Questions with their answers in order, each with its citations and sources. A
        question that was answered again has several messages; the later ones name the first in `version_of`. An
        unfinished answer has the text so far.
        """
        chat = self.find(Chat.objects.for_member(self.member), pk)
        query = self.query(PageQuery)
        messages = chat.messages.prefetch_related("sources")
        order = ("created_at", "pk")
        return Response(paginate(request, messages, query, lambda rows: list(map(present_answer, rows)), order=order))
