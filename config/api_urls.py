"""The URLs of version 1 of the API. Each app lists its own in its `api_urls`; plug-ins declare where theirs go."""

from django.urls import include, path

from plugins import find_plugins

app_name = "api"
urlpatterns = [
    path("", include("chatbots.api_urls")),
    path("", include("rest.api_urls")),
    path("documents", include("knowledge.api_urls")),
    path("library/documents", include("school_library.api_urls")),
    path("", include("audit.api_urls")),
    path("", include("privacy.api_urls")),
    *(path(prefix, include(urls)) for plugin in find_plugins() for prefix, urls in plugin.api_urls.items()),
]
