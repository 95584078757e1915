from django.urls import path

from chatbots.api import (
    asking,
    chatbots,
    conversations,
    messages,
    question_log,
    sharing,
    usage,
)
from chatbots.api.waiting import awaits_answer

urlpatterns = [
    path("chatbots", chatbots.ChatbotList.as_view(), name="chatbots"),
    path("chatbots/<uuid:pk>", chatbots.ChatbotDetail.as_view(), name="chatbot"),
    path("chatbots/<uuid:pk>/restore", chatbots.RestoreChatbot.as_view(), name="chatbot-restore"),
    path("chatbots/<uuid:pk>/shares", sharing.Shares.as_view(), name="shares"),
    path("chatbots/<uuid:pk>/colleagues", sharing.Colleagues.as_view(), name="colleagues"),
    path("chatbots/<uuid:pk>/consent", sharing.Consent.as_view(), name="consent"),
    path("chatbots/<uuid:pk>/template", sharing.Template.as_view(), name="template"),
    path("chatbots/<uuid:pk>/copy", sharing.Copy.as_view(), name="chatbot-copy"),
    path("chatbots/<uuid:pk>/archive", sharing.ArchiveChatbot.as_view(), name="chatbot-archive"),
    path("shares/<uuid:pk>", sharing.ShareDetail.as_view(), name="share"),
    path("templates", sharing.Templates.as_view(), name="templates"),
    path("chatbots/<uuid:pk>/sources", chatbots.ChatbotSources.as_view(), name="chatbot-sources"),
    path("chatbots/<uuid:pk>/ask", awaits_answer(asking.Ask.as_view()), name="ask"),
    path("chatbots/<uuid:pk>/search", asking.SearchSources.as_view(), name="search"),
    path("ask-selection", awaits_answer(asking.AskSelection.as_view()), name="ask-selection"),
    path("chats", conversations.ChatList.as_view(), name="chats"),
    path("chats/<uuid:pk>", conversations.ChatDetail.as_view(), name="chat"),
    path("chats/<uuid:pk>/messages", conversations.ChatMessages.as_view(), name="chat-messages"),
    path("chats/<uuid:pk>/restore", conversations.RestoreChat.as_view(), name="chat-restore"),
    path("messages/<uuid:pk>", messages.MessageDetail.as_view(), name="message"),
    path("messages/<uuid:pk>/again", awaits_answer(messages.AnswerAgain.as_view()), name="message-again"),
    path("messages/<uuid:pk>/stop", messages.Stop.as_view(), name="message-stop"),
    path("messages/<uuid:pk>/feedback", messages.MessageFeedback.as_view(), name="message-feedback"),
    path("question-log", question_log.QuestionLog.as_view(), name="question-log"),
    path("usage", usage.Usage.as_view(), name="usage"),
]
