from django.contrib import admin

from privacy.models import Erasure
from schools.admin import ReadOnly


@admin.register(Erasure)
class ErasureAdmin(ReadOnly, admin.ModelAdmin[Erasure]):
    list_display = ["kind", "school", "erased_at", "asked_by"]
    list_filter = ["school", "kind"]
    search_fields = ["subject_id", "asked_by__email"]
    list_select_related = ["school", "asked_by"]
