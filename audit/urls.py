from django.urls import path

from audit import views

app_name = "audit"
urlpatterns = [
    path("", views.index, name="list"),
    path("csv/", views.export, name="export"),
]
