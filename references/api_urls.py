from django.urls import path

from references.api import approved

urlpatterns = [
    path("approved/topics", approved.TopicList.as_view(), name="approved-topics"),
    path("approved/topics/<uuid:pk>", approved.TopicDetail.as_view(), name="approved-topic"),
    path("approved/warm", approved.Warm.as_view(), name="approved-warm"),
]
