"""One's own data, and erasing."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from privacy import erasing
from privacy.exporting import make_zip
from privacy.models import Erasure, ErasureKind
from privacy.registry import list_declared
from privacy.serializers import ErasureRequestSerializer, ErasureSerializer
from rest.pagination import PageQuery, make_page_serializer
from rest.problems import Problem
from rest.views import MemberView
from schools.models import Membership
from schools.services import MembershipRefused


class ExportMe(MemberView):
    writes = False

    @extend_schema(
        "export_me",
        tags=["about"],
        request=None,
        responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, description="The file.")},
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Everything that is stored of you in this school. A ZIP of readable files: conversations, documents, study
        plans and all other records.
        """
        return make_zip(self.member)


class Erasures(MemberView):
    @extend_schema(
        "erasures", tags=["about"], parameters=[PageQuery], responses=make_page_serializer(ErasureSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Certificates of what was erased. Of your school for admins, else of what you had erased. They name nobody."""
        return self.paginate(Erasure.objects.for_member(self.member), ErasureSerializer)

    @extend_schema(
        "erase",
        tags=["about"],
        request=ErasureRequestSerializer,
        responses={
            201: ErasureSerializer,
            404: OpenApiResponse(description="There is no such class, pupil or person that you may erase."),
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Erase a pupil, a class or a person. Teachers erase their own classes and pupils; admins a person of their
        school, with everything that the person has there. It is done at once and cannot be undone. The answer is the
        certificate.
        """
        asked = self.body(ErasureRequestSerializer)
        try:
            done = self._erase(asked)
        except MembershipRefused as reason:
            raise Problem(409, str(reason)) from None
        return Response(ErasureSerializer(done).data, status=201)

    def _erase(self, asked: dict[str, Any]) -> Erasure:
        for data in list_declared():
            if data.erase and data.kind == asked["kind"]:
                rows = data.model._default_manager.for_member(self.member)  # type: ignore[attr-defined]
                certificate = data.erase(rows, self.find(rows, asked["id"]).pk, self.member)
                return certificate or self.find(Erasure.objects.none(), None)  # gone meanwhile
        people = Membership.objects.filter(school=self.member.school_id).select_related("user", "school")
        person = get_object_or_404(people, user=asked["id"] if asked["kind"] == ErasureKind.PERSON else None)
        self.must_be_admin()
        return erasing.erase_person(person, asked_by=self.member)
