from django.urls import path

from references.views import pages, reader, school_settings, table, topics

app_name = "references"
urlpatterns = [
    path("", school_settings.index, name="index"),
    path("topics/", topics.index, name="topics"),
    path("topics/add/", topics.add, name="add-topic"),
    path("topics/read/", topics.warm, name="warm"),
    path("topics/export/", table.export, name="export"),
    path("topics/import/", table.import_, name="import"),
    path("topics/<uuid:pk>/", topics.detail, name="topic"),
    path("topics/<uuid:pk>/edit/", topics.edit, name="edit-topic"),
    path("topics/<uuid:pk>/delete/", topics.delete, name="delete-topic"),
    path("pages/<uuid:pk>/", pages.row, name="page"),
    path("pages/<uuid:pk>/read/", pages.check, name="read-page"),
    path("pages/<uuid:pk>/approve/", pages.approve, name="approve-page"),
    path("pages/<uuid:pk>/remove/", pages.remove, name="remove-page"),
    path("archives/", reader.archives, name="archives"),
    path("archives/<uuid:pk>/", reader.main_page, name="archive"),
    path("read/<uuid:pk>/<path:path>", reader.read, name="read"),
    path("picture/<uuid:pk>/<path:path>", reader.picture, name="picture"),
]
