"""Pages about ZIM files."""

from django.urls import path

from references import views_reader

urlpatterns = [
    path("archives/", views_reader.archives, name="archives"),
    path("archives/<uuid:pk>/", views_reader.main_page, name="archive"),
    path("read/<uuid:pk>/<path:path>", views_reader.read, name="read"),
    path("picture/<uuid:pk>/<path:path>", views_reader.picture, name="picture"),
]
