from django.apps import AppConfig


class ReferencesConfig(AppConfig):
    name = "references"
    verbose_name = "Sources beyond the school"

    def ready(self) -> None:
        from corpus.source_kinds import register
        from references.kinds import APPROVED, WIKIPEDIA_LIVE, WIKIPEDIA_OFFLINE

        for kind in (APPROVED, WIKIPEDIA_OFFLINE, WIKIPEDIA_LIVE):
            register(kind)
