from django.urls import path

from demo import views

app_name = "demo"
urlpatterns = [path("pages/<slug:name>", views.serve_web_page, name="page")]
