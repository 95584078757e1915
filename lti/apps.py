from django.apps import AppConfig


class LtiConfig(AppConfig):
    name = "lti"
    verbose_name = "Learning platforms"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from learning.practice.answering import answered
        from lti import grades, teachers
        from lti.models import TeacherIdentity
        from schools.models import Membership
        from schools.single_sign_on import sessions

        sessions.register(TeacherIdentity, teachers.find_voucher)
        post_delete.connect(teachers.removed, sender=Membership, dispatch_uid="lti.removed")
        answered.connect(grades.note_answer, dispatch_uid="lti.grades")
