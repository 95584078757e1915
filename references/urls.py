from django.urls import path

from references.views import pages, reader, school_settings, table, topics

app_name = "references"
urlpatterns = [
    path("", school_settings.edit_source_settings, name="index"),
    path("topics/", topics.list_topics, name="topics"),
    path("topics/add/", topics.add_topic, name="add-topic"),
    path("topics/read/", topics.warm, name="warm"),
    path("topics/export/", table.export, name="export"),
    path("topics/import/", table.import_, name="import"),
    path("topics/<uuid:pk>/", topics.detail, name="topic"),
    path("topics/<uuid:pk>/edit/", topics.edit_topic, name="edit-topic"),
    path("topics/<uuid:pk>/delete/", topics.confirm_topic_deletion, name="delete-topic"),
    path("pages/<uuid:pk>/", pages.show_page_row, name="page"),
    path("pages/<uuid:pk>/read/", pages.check, name="read-page"),
    path("pages/<uuid:pk>/approve/", pages.approve_new_text, name="approve-page"),
    path("pages/<uuid:pk>/remove/", pages.take_page_off, name="remove-page"),
    path("archives/", reader.archives, name="archives"),
    path("archives/<uuid:pk>/", reader.main_page, name="archive"),
    path("read/<uuid:pk>/<path:path>", reader.read, name="read"),
    path("picture/<uuid:pk>/<path:path>", reader.picture, name="picture"),
]
