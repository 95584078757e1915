from django.urls import path

from audit import api

urlpatterns = [path("audit", api.AuditLog.as_view(), name="audit")]
