from django.apps import AppConfig


class LearningConfig(AppConfig):
    name = "learning"
    verbose_name = "Study plans"

    def ready(self) -> None:
        from chatbots.answering.source_selection import register_tutor_source
        from corpus.source_kinds import register
        from learning.tutor import PLAN, tutor_source

        register(PLAN)
        register_tutor_source(tutor_source)
