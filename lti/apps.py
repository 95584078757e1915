from django.apps import AppConfig


class LtiConfig(AppConfig):
    name = "lti"
    verbose_name = "Learning platforms"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from accounts.single_sign_on import sessions
        from classrooms.own_data import register_words
        from learning.practice.answering import answered
        from lti import grades, pupils, teachers
        from lti.models import TeacherIdentity
        from schools.models import Membership

        sessions.register(TeacherIdentity, teachers.find_voucher)
        post_delete.connect(teachers.removed, sender=Membership, dispatch_uid="lti.removed")
        answered.connect(grades.note_answer, dispatch_uid="lti.grades")
        register_words(pupils.words_of)
