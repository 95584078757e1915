from django.urls import path

from privacy import api

urlpatterns = [
    path("me/export", api.ExportMe.as_view(), name="me-export"),
    path("erasures", api.Erasures.as_view(), name="erasures"),
]
