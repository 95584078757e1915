from django.apps import AppConfig


class SchoolsConfig(AppConfig):
    name = "schools"
    verbose_name = "Schools and people"

    def ready(self) -> None:
        from django import forms

        from schools.forms import check_visible

        forms.CharField.default_validators = [check_visible]
