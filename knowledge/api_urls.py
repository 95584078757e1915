from django.urls import path

from knowledge import api

urlpatterns = [
    path("", api.Documents.as_view(), name="documents"),
    path("/<uuid:pk>", api.Document.as_view(), name="document"),
    path("/<uuid:pk>/file", api.File.as_view(), name="document-file"),
    path("/<uuid:pk>/chunks", api.Chunks.as_view(), name="document-chunks"),
    path("/<uuid:pk>/outline", api.Outline.as_view(), name="document-outline"),
]
