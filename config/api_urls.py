"""The URLs of version 1 of the API. Each app lists its own in its `api_urls`."""

from django.urls import include, path

app_name = "api"
urlpatterns = [
    path("", include("rest.api_urls")),
    path("documents", include("knowledge.api_urls")),
    path("library/documents", include("school_library.api_urls")),
    path("", include("references.api_urls")),
    path("", include("chatbots.api_urls")),
    path("", include("learning.api_urls")),
    path("", include("audit.api_urls")),
    path("", include("web_pages.api_urls")),
    path("", include("classrooms.api_urls")),
    path("", include("privacy.api_urls")),
]
