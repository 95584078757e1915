"""Routes about the API itself: the current user, the schema and the documentation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from rest.documentation import documentation
from rest.schema import build_schema
from rest.serializers import MeSerializer
from rest.views import MemberView
from schools.access import member_or_operator_required


class Me(MemberView):
    @extend_schema("me", tags=["about"], responses=MeSerializer)
    def get(self, request: Request) -> HttpResponseBase:
        """Who asks. The person and school a token or session acts for, with their role and the token’s scope."""
        self.member.scope = self.token.scope if self.token else None  # type: ignore[attr-defined]
        return Response(MeSerializer(self.member).data)


class Yaml(OpenApiYamlRenderer):
    media_type = "application/yaml"


class Description(MemberView):
    for_operators = True
    renderer_classes = (Yaml, OpenApiYamlRenderer, OpenApiJsonRenderer, JSONRenderer)

    @extend_schema(
        "schema", tags=["about"], responses=OpenApiResponse(OpenApiTypes.OBJECT, description="The description.")
    )
    def get(self, request: Request) -> HttpResponseBase:
        """This description. The API in OpenAPI 3, as YAML, or as JSON with `Accept: application/json`."""
        return Response(build_schema())


@require_GET
@gzip_page
@member_or_operator_required
def docs(request: HttpRequest) -> HttpResponseBase:
    """The documentation of all routes."""
    return render(request, "rest/docs.html", vars(documentation()))
