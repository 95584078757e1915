from django.urls import path

from audit import views

app_name = "audit"
urlpatterns = [
    path("", views.show_audit_log, name="list"),
    path("csv/", views.export_audit_log, name="export"),
]
