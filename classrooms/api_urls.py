from django.urls import path

from classrooms import api

urlpatterns = [
    path("class-links", api.ClassLinkList.as_view(), name="class-links"),
    path("class-links/<uuid:pk>", api.ClassLinkDetail.as_view(), name="class-link"),
    path("class-links/<uuid:pk>/transcripts", api.Transcripts.as_view(), name="class-transcripts"),
]
