"""Plans as files."""

from __future__ import annotations

from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from learning.api.presenting import present_plan
from learning.api.serializers import ExportQuery, PlanSerializer
from learning.api.views import TAGS, PlanView
from learning.exports.anki import AnkiUnavailable
from learning.exports.files import FORMATS, export_plan
from learning.exports.plan_import import ImportRefused, import_content
from learning.exports.plan_json import MAX_BYTES, PlanFileSerializer
from rest.idempotency import idempotent
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
        operation_id="export_plan",
        tags=TAGS,
        summary="A plan as a file",
        description="`json` is the whole plan with its sources, which can be imported again. The others have the "
        "questions that learners may get, with their sources in words: `moodle-xml`, `gift` and `apkg` for Anki "
        "(422 where it is not installed).",
        parameters=[ExportQuery],
        responses={
            **{
                (200, one.media_type.partition(";")[0]): OpenApiTypes.BINARY
                for one in FORMATS.values()
                if one.value != "json"
            },
            (200, "application/json"): PlanFileSerializer,
            422: OpenApiResponse(description="The format needs a package that is not installed; `detail` names it."),
        },
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        plan = self.find_plan(pk)
        try:
            return export_plan(plan, self.query(ExportQuery)["format"])
        except AnkiUnavailable as reason:
            raise Problem(422, str(reason)) from None


class Import(PlanView):
    most = MAX_BYTES

    @extend_schema(
        operation_id="import_plan",
        tags=TAGS,
        summary="Import a plan",
        description="The body is a file as the export in `json` writes it. A source is a document again if you may "
        "read that very document and it contains the excerpt. Every other one is a text of the kind `imported`.",
        request=PlanFileSerializer,
        responses={201: PlanSerializer},
    )
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        try:
            plan = import_content(member=self.member, content=self.body(PlanFileSerializer))
        except ImportRefused as reason:
            raise Problem(400, str(reason), errors={"concepts": [str(reason)]}) from None
        where = request.build_absolute_uri(reverse("api:plan", args=[plan.pk]))
        return Response(present_plan(plan), status=201, headers={"Location": where})
