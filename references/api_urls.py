from django.urls import path

from references.api import approved, archives

urlpatterns = [
    path("archives", archives.ArchiveList.as_view(), name="archives"),
    path("approved/topics", approved.TopicList.as_view(), name="approved-topics"),
    path("approved/topics/<uuid:pk>", approved.TopicDetail.as_view(), name="approved-topic"),
    path("approved/warm", approved.Warm.as_view(), name="approved-warm"),
]
