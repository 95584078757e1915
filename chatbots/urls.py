from django.urls import URLPattern

app_name = "chatbots"
urlpatterns: list[URLPattern] = []
