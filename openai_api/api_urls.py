from django.urls import path

from chatbots.api.waiting import awaits_answer
from openai_api import api

urlpatterns = [
    path("/chat/completions", awaits_answer(api.Completions.as_view()), name="openai-completions"),
    path("/models", api.Models.as_view(), name="openai-models"),
    path("/models/<str:pk>", api.Model.as_view(), name="openai-model"),
    path("", api.Unknown.as_view(), name="openai"),
    path("/<path:rest>", api.Unknown.as_view(), name="openai-unknown"),
]
