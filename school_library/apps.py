from django.apps import AppConfig


class SchoolLibraryConfig(AppConfig):
    name = "school_library"
    verbose_name = "School library"

    def ready(self) -> None:
        from corpus.source_kinds import register
        from school_library.sources import SCHOOL

        register(SCHOOL)
