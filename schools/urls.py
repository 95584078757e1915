from django.urls import path

from schools import views

app_name = "schools"
urlpatterns = [
    path("switch/", views.switch, name="switch"),
    path("members/", views.members, name="members"),
    path("members/add/", views.add, name="add-member"),
    path("members/<uuid:pk>/role/", views.role, name="change-role"),
    path("members/<uuid:pk>/remove/", views.remove, name="remove-member"),
]
