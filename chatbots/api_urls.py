from django.urls import path

from chatbots.api import asking, chatbots, conversations, messages, openai, question_log, usage
from chatbots.api.waiting import followed

urlpatterns = [
    path("chatbots", chatbots.Chatbots.as_view(), name="chatbots"),
    path("chatbots/<uuid:pk>", chatbots.OneChatbot.as_view(), name="chatbot"),
    path("chatbots/<uuid:pk>/sources", chatbots.Sources.as_view(), name="chatbot-sources"),
    path("chatbots/<uuid:pk>/ask", followed(asking.Ask.as_view()), name="ask"),
    path("chatbots/<uuid:pk>/search", asking.Search.as_view(), name="search"),
    path("ask-selection", followed(asking.AskSelection.as_view()), name="ask-selection"),
    path("chats", conversations.Chats.as_view(), name="chats"),
    path("chats/<uuid:pk>", conversations.OneChat.as_view(), name="chat"),
    path("chats/<uuid:pk>/messages", conversations.Messages.as_view(), name="chat-messages"),
    path("chats/<uuid:pk>/restore", conversations.Restored.as_view(), name="chat-restore"),
    path("messages/<uuid:pk>", messages.OneMessage.as_view(), name="message"),
    path("messages/<uuid:pk>/again", followed(messages.Again.as_view()), name="message-again"),
    path("messages/<uuid:pk>/stop", messages.Stop.as_view(), name="message-stop"),
    path("messages/<uuid:pk>/feedback", messages.MessageFeedback.as_view(), name="message-feedback"),
    path("openai/chat/completions", followed(openai.Completions.as_view()), name="openai-completions"),
    path("openai/models", openai.Models.as_view(), name="openai-models"),
    path("question-log", question_log.QuestionLog.as_view(), name="question-log"),
    path("usage", usage.Usage.as_view(), name="usage"),
]
