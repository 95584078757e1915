from django.apps import apps
from django.contrib import admin
from django.db import models

from schools.admin import ReadOnlyAdmin

_SEARCHED = ("title", "name", "prompt", "words", "document_title")
_SEARCHED_BY = ("plan__title", "concept__name", "question__prompt", "owner__email", "school__name")
_SHOWN_WITH = ("participant__user", "session__plan")  # what the names of related rows are made of


for model in apps.get_app_config("learning").get_models():
    fields = list(model._meta.concrete_fields)
    searched = [one.name for one in fields if one.name in _SEARCHED]
    related = [one.name for one in fields if one.is_relation]
    chosen = [one.name for one in fields if one.choices or isinstance(one, models.BooleanField)]
    dates = [one.name for one in fields if isinstance(one, models.DateTimeField)]
    admin.site.register(
        model,
        ReadOnlyAdmin,
        list_display=[*searched, *related, *chosen, *dates][:10],
        list_filter=["school", *chosen],
        search_fields=[*searched, *(path for path in _SEARCHED_BY if path.partition("__")[0] in related)],
        list_select_related=[*related, *(path for path in _SHOWN_WITH if path.partition("__")[0] in related)],
    )
