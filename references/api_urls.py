from django.urls import path

from chatbots.api.waiting import awaits_answer
from references.api import approved, archives, asking_pages

urlpatterns = [
    path("chatbots/<uuid:pk>/ask-page", awaits_answer(asking_pages.AskPage.as_view()), name="ask-page"),
    path("archives", archives.ArchiveList.as_view(), name="archives"),
    path("approved/topics", approved.TopicList.as_view(), name="approved-topics"),
    path("approved/topics/<uuid:pk>", approved.TopicDetail.as_view(), name="approved-topic"),
    path("approved/warm", approved.Warm.as_view(), name="approved-warm"),
]
