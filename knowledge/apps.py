from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    verbose_name = "Teachers' own documents"

    def ready(self) -> None:
        from corpus.source_kinds import register
        from knowledge.sources import PERSONAL

        register(PERSONAL)
