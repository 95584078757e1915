from django.urls import path

from operations import views

app_name = "operations"
urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path(".well-known/security.txt", views.security_txt, name="security-txt"),
]
