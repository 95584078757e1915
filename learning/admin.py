from django.apps import apps
from django.contrib import admin
from django.db import models

from schools.admin import ReadOnly

_SEARCHED = ("title", "name", "prompt", "words", "document_title")


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin[models.Model]):
    """Plans are edited by their owners, on their pages."""


for model in apps.get_app_config("learning").get_models():
    fields = [one for one in model._meta.concrete_fields if not isinstance(one, models.JSONField | models.UUIDField)]
    shown = [one.name for one in fields if not isinstance(one, models.TextField) or one.name in _SEARCHED]
    admin.site.register(
        model,
        ReadOnlyAdmin,
        list_display=shown,
        list_filter=[one.name for one in fields if one.choices or isinstance(one, models.BooleanField)] + ["school"],
        search_fields=[one.name for one in fields if one.name in _SEARCHED],
        list_select_related=[one.name for one in fields if one.is_relation],
    )
