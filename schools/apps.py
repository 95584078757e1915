from django.apps import AppConfig


class SchoolsConfig(AppConfig):
    name = "schools"
    verbose_name = "Schools and people"
