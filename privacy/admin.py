from django.contrib import admin

from privacy.models import Erasure
from schools.admin import ReadOnlyAdmin


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    list_display = ["kind", "school", "erased_at", "asked_by"]
    list_filter = ["school", "kind"]
    search_fields = ["subject_id", "asked_by__email"]
    list_select_related = ["school", "asked_by"]
