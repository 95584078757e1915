from django.urls import path

from knowledge import views

app_name = "knowledge"
urlpatterns = [
    path("", views.index, name="list"),
    path("upload/", views.upload, name="upload"),
    path("<uuid:pk>/", views.detail, name="detail"),
    path("<uuid:pk>/row/", views.row, name="row"),
    path("<uuid:pk>/file/", views.file, name="file"),
    path("<uuid:pk>/replace/", views.replace, name="replace"),
    path("<uuid:pk>/rename/", views.rename, name="rename"),
    path("<uuid:pk>/copy/", views.copy, name="copy"),
    path("<uuid:pk>/merge/", views.merge, name="merge"),
    path("<uuid:pk>/retry/", views.retry, name="retry"),
    path("<uuid:pk>/cancel/", views.cancel, name="cancel"),
    path("<uuid:pk>/delete/", views.delete, name="delete"),
]
