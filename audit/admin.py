from django.contrib import admin

from schools.admin import ReadOnly
from schools.audit.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly, admin.ModelAdmin[AuditEntry]):
    """Operators read the entries of all schools, and of none."""

    list_display = ["at", "school", "words", "actor_name", "actor_email", "subject_label", "address"]
    list_filter = ["action", "school"]
    list_select_related = ["school"]
    search_fields = ["actor_name", "actor_email", "subject_label", "address", "action"]
    date_hierarchy = "at"
