from django.urls import path

from school_library import api

urlpatterns = [
    path("", api.Documents.as_view(), name="library-documents"),
    path("/<uuid:pk>", api.Document.as_view(), name="library-document"),
    path("/<uuid:pk>/file", api.File.as_view(), name="library-document-file"),
    path("/<uuid:pk>/chunks", api.Chunks.as_view(), name="library-document-chunks"),
    path("/<uuid:pk>/outline", api.Outline.as_view(), name="library-document-outline"),
]
