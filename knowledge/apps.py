from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    verbose_name = "Teachers' own documents"

    def ready(self) -> None:
        from corpus.source_kinds import register
        from knowledge.personal_data import PERSONAL_DATA
        from knowledge.sources import PERSONAL
        from privacy.registry import declare

        register(PERSONAL)
        declare(PERSONAL_DATA)
