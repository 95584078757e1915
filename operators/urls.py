from django.urls import path

from operators import views

app_name = "operators"
urlpatterns = [
    path("", views.index, name="index"),
    path("move/", views.move, name="move"),
]
