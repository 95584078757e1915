from django.urls import include, path

urlpatterns = [
    path("", include("references.offline_api_urls")),
]
