from django.urls import path

from corpus.web.actions import document_routes
from corpus.web.selected import selected_route
from school_library import views

app_name = "school_library"
urlpatterns = [
    path("", views.index, name="list"),
    path("upload/", views.upload, name="upload"),
    path("paste/", views.paste, name="paste"),
    path("<uuid:pk>/", views.detail, name="detail"),
    path("<uuid:pk>/file/", views.file, name="file"),
    path("<uuid:pk>/edit/", views.edit, name="edit"),
    path("<uuid:pk>/publish/", views.publish, name="publish"),
    path("<uuid:pk>/withdraw/", views.withdraw, name="withdraw"),
    selected_route(views.selected),
    *document_routes(readable=views.find_readable, changeable=views.find_changeable),
]
