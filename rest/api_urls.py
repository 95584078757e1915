from django.urls import path

from rest import api

urlpatterns = [
    path("me", api.Me.as_view(), name="me"),
    path("schema/", api.Description.as_view(), name="schema"),
    path("docs/", api.docs, name="docs"),
]
