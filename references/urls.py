from django.urls import include, path

app_name = "references"
urlpatterns = [
    path("", include("references.offline_urls")),
]
