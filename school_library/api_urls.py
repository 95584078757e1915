from django.urls import path

from school_library import api

urlpatterns = [
    path("", api.LibraryDocumentList.as_view(), name="library-documents"),
    path("/<uuid:pk>", api.OneLibraryDocument.as_view(), name="library-document"),
    path("/<uuid:pk>/file", api.LibraryDocumentFile.as_view(), name="library-document-file"),
    path("/<uuid:pk>/chunks", api.LibraryDocumentChunks.as_view(), name="library-document-chunks"),
    path("/<uuid:pk>/outline", api.LibraryDocumentOutline.as_view(), name="library-document-outline"),
]
