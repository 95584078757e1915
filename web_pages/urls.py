from django.urls import path

from web_pages import views

app_name = "web_pages"
urlpatterns = [
    path("add/", views.personal, name="add"),
    path("add-to-library/", views.in_library, name="add-to-library"),
    path("documents/<uuid:pk>/again/", views.personal_again, name="again"),
    path("library/<uuid:pk>/again/", views.library_again, name="library-again"),
]
