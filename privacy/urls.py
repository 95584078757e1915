from django.urls import path

from privacy import views

app_name = "privacy"
urlpatterns = [
    path("my-data/", views.own_data, name="own-data"),
    path("schools/members/<uuid:pk>/erase/", views.erase_member, name="erase-member"),
    path("schools/erasures/", views.erasures, name="erasures"),
    path("schools/erasures/<uuid:pk>/", views.certificate, name="certificate"),
    path("schools/erasures/<uuid:pk>/file/", views.certificate_file, name="certificate-file"),
]
