"""Routes of the tests: views that only count, fail or wait, on the classes that every route stands on."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

from django.db import OperationalError, connection, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from config.urls import handler400, handler403, handler404, handler500
from config.urls import urlpatterns as ours
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import PageQuery, paginate
from rest.problems import Problem
from rest.views import MemberView
from schools.models import Membership

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


class SortSerializer(serializers.Serializer[Any]):
    of = serializers.CharField(max_length=10)


class ThingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=10)
    number = serializers.IntegerField(required=False, min_value=0, max_value=9)
    key = serializers.UUIDField(required=False)
    kinds = serializers.ListField(child=serializers.CharField(max_length=3), required=False)
    sorts = SortSerializer(many=True, required=False)


class FileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField()
    title = serializers.CharField(required=False)


class Things(MemberView):
    made: ClassVar[list[str]] = []
    begun: ClassVar[threading.Event] = threading.Event()
    gate: ClassVar[threading.Event] = threading.Event()

    def get(self, request: Request) -> HttpResponseBase:
        people = Membership.objects.for_school(self.member.school)
        query = self.query(PageQuery)
        answer = paginate(request, people, query, lambda rows: [m.name for m in rows], order=("-role", "pk"))
        return Response(answer)

    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        name = self.body(ThingSerializer)["name"]
        if name == "waits":
            self.begun.set()
            assert self.gate.wait(120)
        self.made.append(name)
        if name == "refused":
            raise Problem(422, "Not this one.")
        if name == "breaks":
            raise ZeroDivisionError
        if name == "no base":
            raise OperationalError
        if name == "late":
            transaction.on_commit(lambda: fail_with("08006"))
        if name.startswith("sql "):
            fail_with(name[-5:])
        return Response({"name": name, "number": len(self.made)}, status=201, headers={"Location": "/there"})


@transaction.atomic
def fail_with(state: str) -> None:
    """As PostgreSQL does in that state."""
    with connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'failed' USING ERRCODE = '%s'; END $$" % state)  # noqa: UP031


def broken(request: HttpRequest, state: str) -> HttpResponseBase:
    """A page."""
    fail_with(state)
    raise AssertionError


class Searches(MemberView):
    writes = False

    def post(self, request: Request) -> HttpResponseBase:
        return Response(self.body(ThingSerializer))


class Uploads(MemberView):
    parser_classes = (MultiPartParser,)
    upload = True
    made: ClassVar[int] = 0

    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        file = self.body(FileSerializer)["file"]
        Uploads.made += 1
        return Response({"size": file.size, "number": Uploads.made}, status=201)


class Tagged(MemberView):
    thing: ClassVar[dict[str, str]] = {"name": "ink"}

    def get(self, request: Request) -> HttpResponseBase:
        return add_etag(request, self.thing)

    def put(self, request: Request) -> HttpResponseBase:
        must_match(request, self.thing)
        return add_etag(request, self.thing)


urlpatterns = [
    path("api/v1/things", Things.as_view()),
    path("api/v1/searches", Searches.as_view()),
    path("api/v1/uploads", Uploads.as_view()),
    path("api/v1/tagged", Tagged.as_view()),
    path("broken/<state>/", broken),
    *ours,
]
