from django.urls import URLPattern

app_name = "school_library"
urlpatterns: list[URLPattern] = []
