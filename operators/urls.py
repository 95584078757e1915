from django.urls import path

from operators import views

app_name = "operators"
urlpatterns = [
    path("", views.show_installation, name="index"),
    path("move/", views.show_move, name="move"),
]
