from django.contrib import admin

from demo.models import DemoLoad
from schools.admin import ReadOnly


@admin.register(DemoLoad)
class DemoLoadAdmin(ReadOnly, admin.ModelAdmin[DemoLoad]):
    list_display = ["__str__", "started_at", "finished_at"]
    readonly_fields = ["started_at", "finished_at"]
