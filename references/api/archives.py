"""REST API: the ZIM files of the installation."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from references.models import Archive
from rest.pagination import PageQuery, make_page_serializer
from rest.views import MemberView


class ArchiveSerializer(serializers.ModelSerializer[Archive]):
    """A ZIM file that the operator has added to the installation."""

    class Meta:
        model = Archive
        fields = ["id", "name", "title", "language", "articles", "date", "state"]
        read_only_fields = fields


class ArchiveList(MemberView):
    @extend_schema(
        "archives", tags=["references"], parameters=[PageQuery], responses=make_page_serializer(ArchiveSerializer)
    )
    def get(self, request: Request) -> HttpResponseBase:
        """ZIM files. The files that offline Wikipedia is read from. `state` is indexing, ready or failed. Which
        schools read them is for their admins to allow.
        """
        return self.paginate(Archive.objects.all(), ArchiveSerializer, order=("title", "id"))
