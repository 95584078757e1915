"""Usage figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.api.serializers import UsageQuery, UsageSerializer
from chatbots.insights.usage import compute_school_usage, compute_usage_by_chatbot
from rest.views import MemberView
from schools.models import School


class Usage(MemberView):
    @extend_schema("usage", tags=["usage"], parameters=[UsageQuery], responses=UsageSerializer)
    def get(self, request: Request) -> HttpResponseBase:
        """Usage figures. Counts of the last days for your own chatbots and, for admins, for the school: no
        questions.
        """
        days = self.query(UsageQuery)["days"]
        mine = compute_usage_by_chatbot(self.member, days=days)
        figures = {
            "days": days,
            "chatbots": [{"id": bot.pk, "name": bot.name, **asdict(usage)} for bot, usage in mine],
            "school": _of_school(self.member.school, days) if self.member.is_admin else None,
        }
        return Response(UsageSerializer(figures).data)


def _of_school(school: School, days: int) -> dict[str, Any]:
    found = compute_school_usage(school, days=days)
    return found | {
        "documents": [{**row, "id": row["document_id"], "title": row["document"].title} for row in found["documents"]],
        "people": [{"name": member.name, "questions": asked} for member, asked in found["people"]],
    }
