from django.urls import URLPattern

app_name = "knowledge"
urlpatterns: list[URLPattern] = []
