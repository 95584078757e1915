"""API routes about ZIM files."""

from django.urls import path

from references import offline_api

urlpatterns = [path("archives", offline_api.ArchiveList.as_view(), name="archives")]
