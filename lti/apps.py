from django.apps import AppConfig


class LtiConfig(AppConfig):
    name = "lti"
    verbose_name = "Learning platforms"

    def ready(self) -> None:
        from classrooms.own_data import register_words
        from learning.practice.answering import answered
        from lti import grades, pupils

        answered.connect(grades.note_answer, dispatch_uid="lti.grades")
        register_words(pupils.words_of)
