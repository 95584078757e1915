from django.contrib import admin

from evaluation.models import EvaluationRun, TestQuestion
from schools.admin import ReadOnlyAdmin


@admin.register(TestQuestion)
class TestQuestionAdmin(ReadOnlyAdmin):
    list_display = ["question", "chatbot", "document_title", "is_refused", "school", "created_at"]
    list_filter = ["is_refused", "school"]
    search_fields = ["question", "document_title", "chatbot__name"]


@admin.register(EvaluationRun)
class EvaluationRunAdmin(ReadOnlyAdmin):
    list_display = ["chatbot", "school", "ran_at"]
    search_fields = ["chatbot__name"]
    date_hierarchy = "ran_at"
