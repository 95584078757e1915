from django.apps import AppConfig


class SchoolLibraryConfig(AppConfig):
    name = "school_library"
    verbose_name = "School library"

    def ready(self) -> None:
        from corpus.source_kinds import register
        from privacy.registry import declare
        from school_library.personal_data import PERSONAL_DATA
        from school_library.sources import SCHOOL

        register(SCHOOL)
        declare(PERSONAL_DATA)
