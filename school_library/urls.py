from django.urls import path

from school_library import views

app_name = "school_library"
urlpatterns = [
    path("", views.index, name="list"),
    path("upload/", views.upload, name="upload"),
    path("<uuid:pk>/", views.detail, name="detail"),
    path("<uuid:pk>/row/", views.row, name="row"),
    path("<uuid:pk>/file/", views.file, name="file"),
    path("<uuid:pk>/edit/", views.edit, name="edit"),
    path("<uuid:pk>/replace/", views.replace, name="replace"),
    path("<uuid:pk>/publish/", views.publish, name="publish"),
    path("<uuid:pk>/withdraw/", views.withdraw, name="withdraw"),
    path("<uuid:pk>/copy/", views.copy, name="copy"),
    path("<uuid:pk>/merge/", views.merge, name="merge"),
    path("<uuid:pk>/retry/", views.retry, name="retry"),
    path("<uuid:pk>/cancel/", views.cancel, name="cancel"),
    path("<uuid:pk>/delete/", views.delete, name="delete"),
]
