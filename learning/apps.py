from django.apps import AppConfig


class LearningConfig(AppConfig):
    name = "learning"
    verbose_name = "Study plans"

    def ready(self) -> None:
        from chatbots.answering.source_selection import Tutoring, register_tutoring
        from corpus.source_kinds import register
        from learning.exports.imported import IMPORTED
        from learning.tutoring.source import PLAN, tutor_answerer, tutor_source

        register(PLAN)
        register(IMPORTED)
        register_tutoring(Tutoring(tutor_source, tutor_answerer))
