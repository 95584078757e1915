"""Plans as files."""

from __future__ import annotations

from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from learning.api.serializers import ExportQuery
from learning.api.views import PlanView
from learning.exports.anki import AnkiUnavailable
from learning.exports.files import FORMATS, export_plan
from rest.problems import Problem


class AnyFile(BaseRenderer):
    """Lets a program ask by its Accept header for what the format is. A problem is JSON all the same."""

    media_type = "*/*"
    format = "file"

    def render(self, data: object, *_: object, **__: object) -> bytes:
        return b"" if data is None else JSONRenderer().render(data)


class Export(PlanView):
    renderer_classes = (JSONRenderer, AnyFile)

    @extend_schema(
        "export_plan",
        parameters=[ExportQuery],
        responses={
            **{(200, one.media_type.partition(";")[0]): OpenApiTypes.BINARY for one in FORMATS.values()},
            422: OpenApiResponse(description="The format needs a package that is not installed; `detail` names it."),
        },
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """The questions of a plan as a file. Those that learners may get, with their sources in words: `gift` for
        Moodle and others, or `apkg` for Anki (422 where it is not installed)."""
        plan = self.find_plan(pk)
        try:
            return export_plan(plan, self.query(ExportQuery)["format"])
        except AnkiUnavailable as reason:
            raise Problem(422, str(reason)) from None
