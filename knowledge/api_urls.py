from django.urls import path

from knowledge import api

urlpatterns = [
    path("", api.PersonalDocumentList.as_view(), name="documents"),
    path("/<uuid:pk>", api.OnePersonalDocument.as_view(), name="document"),
    path("/<uuid:pk>/file", api.PersonalDocumentFile.as_view(), name="document-file"),
    path("/<uuid:pk>/chunks", api.PersonalDocumentChunks.as_view(), name="document-chunks"),
    path("/<uuid:pk>/outline", api.PersonalDocumentOutline.as_view(), name="document-outline"),
]
