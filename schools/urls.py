from django.urls import path

from schools import views

app_name = "schools"
urlpatterns = [path("switch/", views.switch, name="switch")]
