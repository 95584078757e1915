from django.urls import path

from chatbots.api import asking, asking_pages, chatbots, conversations, messages, openai, question_log, usage
from chatbots.api.waiting import awaits_answer

urlpatterns = [
    path("chatbots", chatbots.ChatbotList.as_view(), name="chatbots"),
    path("chatbots/<uuid:pk>", chatbots.ChatbotDetail.as_view(), name="chatbot"),
    path("chatbots/<uuid:pk>/restore", chatbots.RestoreChatbot.as_view(), name="chatbot-restore"),
    path("chatbots/<uuid:pk>/sources", chatbots.ChatbotSources.as_view(), name="chatbot-sources"),
    path("chatbots/<uuid:pk>/ask", awaits_answer(asking.Ask.as_view()), name="ask"),
    path("chatbots/<uuid:pk>/ask-page", awaits_answer(asking_pages.AskPage.as_view()), name="ask-page"),
    path("chatbots/<uuid:pk>/search", asking.Search.as_view(), name="search"),
    path("ask-selection", awaits_answer(asking.AskSelection.as_view()), name="ask-selection"),
    path("chats", conversations.ChatList.as_view(), name="chats"),
    path("chats/<uuid:pk>", conversations.ChatDetail.as_view(), name="chat"),
    path("chats/<uuid:pk>/messages", conversations.ChatMessages.as_view(), name="chat-messages"),
    path("chats/<uuid:pk>/restore", conversations.RestoreChat.as_view(), name="chat-restore"),
    path("messages/<uuid:pk>", messages.MessageDetail.as_view(), name="message"),
    path("messages/<uuid:pk>/again", awaits_answer(messages.AnswerAgain.as_view()), name="message-again"),
    path("messages/<uuid:pk>/stop", messages.Stop.as_view(), name="message-stop"),
    path("messages/<uuid:pk>/feedback", messages.MessageFeedback.as_view(), name="message-feedback"),
    path("openai/chat/completions", awaits_answer(openai.Completions.as_view()), name="openai-completions"),
    path("openai/models", openai.Models.as_view(), name="openai-models"),
    path("question-log", question_log.QuestionLog.as_view(), name="question-log"),
    path("usage", usage.Usage.as_view(), name="usage"),
]
