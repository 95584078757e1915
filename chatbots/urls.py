from django.urls import path

from chatbots.views import bots, chats, conversations, feedback, sources, usage

app_name = "chatbots"
urlpatterns = [
    path("chatbots/", bots.index, name="list"),
    path("chatbots/new/", bots.create, name="create"),
    path("chatbots/places/", bots.places, name="places"),
    path("chatbots/<uuid:pk>/", chats.new, name="new-chat"),
    path("chatbots/<uuid:pk>/ask/", chats.ask_first, name="ask-first"),
    path("chatbots/<uuid:pk>/edit/", bots.edit, name="edit"),
    path("chatbots/<uuid:pk>/delete/", bots.delete, name="delete"),
    path("chats/<uuid:pk>/", chats.show, name="chat"),
    path("chats/<uuid:pk>/ask/", chats.ask, name="ask"),
    path("chats/", conversations.index, name="chats"),
    path("chats/deleted/", conversations.deleted, name="deleted-chats"),
    path("chats/<uuid:pk>/rename/", conversations.rename, name="rename-chat"),
    path("chats/<uuid:pk>/delete/", conversations.delete, name="delete-chat"),
    path("chats/<uuid:pk>/restore/", conversations.restore, name="restore-chat"),
    path("chats/<uuid:pk>/erase/", conversations.erase, name="erase-chat"),
    path("chats/<uuid:pk>/export/", conversations.export, name="export-chat"),
    path("chats/<uuid:pk>/print/", conversations.on_paper, name="print-chat"),
    path("messages/<uuid:pk>/", chats.turn, name="turn"),
    path("messages/<uuid:pk>/stream/", chats.stream, name="stream"),
    path("messages/<uuid:pk>/stop/", chats.stop, name="stop"),
    path("messages/<uuid:pk>/again/", chats.ask_again, name="ask-again"),
    path("messages/<uuid:pk>/feedback/", feedback.give, name="feedback"),
    path("sources/<uuid:pk>/", sources.show, name="source"),
    path("library/<uuid:pk>/chatbots/", sources.library_links, name="library-links"),
    path("library/<uuid:pk>/usage/", sources.document_usage, name="document-usage"),
    path("documents/<uuid:pk>/chatbots/", sources.personal_usage, name="personal-usage"),
    path("schools/usage/", usage.school, name="school-usage"),
]
