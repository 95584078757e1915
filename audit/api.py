"""REST API of the audit log, for the admins of a school."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from audit import services
from rest.days import DayField
from rest.pagination import PageQuery, make_page_serializer
from rest.views import MemberView
from schools.audit.actions import Action
from schools.audit.models import AuditEntry


class AuditQuery(PageQuery):
    actor = serializers.UUIDField(required=False, help_text="Only acts of this person.")
    action = serializers.ChoiceField(required=False, choices=Action.choices, help_text="Only this act.")
    since = DayField(required=False, help_text="The first day.")
    until = DayField(required=False, help_text="The last day.")


class AuditActorSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField(source="actor_id")
    name = serializers.CharField(source="actor_name", help_text="In this school, when it was done.")
    email = serializers.CharField(source="actor_email", help_text="Empty for an operator.")


class AuditSubjectSerializer(serializers.Serializer[object]):
    kind = serializers.CharField(source="subject_kind")
    id = serializers.CharField(source="subject_id")
    label = serializers.CharField(  # type: ignore[assignment]
        source="subject_label", help_text="Empty if its name is private."
    )


class AuditEntrySerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    at = serializers.DateTimeField()
    action = serializers.CharField(help_text="A dotted word, such as `member.role_changed`.")
    words = serializers.CharField(help_text="The action in plain words.")
    actor = serializers.SerializerMethodField()
    subject = serializers.SerializerMethodField()
    address = serializers.CharField(help_text="The IP address; empty for a command.")
    device = serializers.CharField(help_text="The user agent, shortened.")
    detail = serializers.DictField(help_text="What else is known of the act, such as `from` and `to` of a role.")

    @extend_schema_field(AuditActorSerializer(allow_null=True))
    def get_actor(self, row: AuditEntry) -> Any:
        """Null if nobody was signed in, or a command or Lectern itself did it."""
        return AuditActorSerializer(row).data if row.actor_id else None

    @extend_schema_field(AuditSubjectSerializer(allow_null=True))
    def get_subject(self, row: AuditEntry) -> Any:
        """Null if the act has none."""
        return AuditSubjectSerializer(row).data if row.subject_kind else None


class AuditLog(MemberView):
    @extend_schema(
        "audit", tags=["usage"], parameters=[AuditQuery], responses=make_page_serializer(AuditEntrySerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The audit log. For admins: who did what to what in the school, when and from where, the newest first. It
        holds no text of documents, questions or answers.
        """
        self.must_be_admin()
        query = self.query(AuditQuery)
        wanted = {name: query[name] for name in ("actor", "action", "since", "until") if name in query}
        rows = services.search_audit_log(self.member, **wanted)
        return self.paginate(rows, AuditEntrySerializer, query)
