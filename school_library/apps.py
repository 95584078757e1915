from django.apps import AppConfig


class SchoolLibraryConfig(AppConfig):
    name = "school_library"
    verbose_name = "School library"
