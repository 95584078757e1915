from django.contrib import admin
from django.http import HttpRequest

from demo.models import DemoLoad


@admin.register(DemoLoad)
class DemoLoadAdmin(admin.ModelAdmin[DemoLoad]):
    list_display = ["__str__", "started_at", "finished_at"]
    readonly_fields = ["started_at", "finished_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: DemoLoad | None = None) -> bool:
        return False
