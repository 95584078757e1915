"""Version 1 of the API. Each room has its routes in an `api_urls` of its own; here they are put together."""

from django.urls import include, path

app_name = "api"
urlpatterns = [
    path("", include("rest.api_urls")),
    path("documents", include("knowledge.api_urls")),
    path("library/documents", include("school_library.api_urls")),
    path("", include("chatbots.api_urls")),
]
