from plugins import Plugin, Task


class LtiConfig(Plugin):
    name = "lti"
    verbose_name = "Learning platforms"
    needs = ["classrooms"]
    urls = {"lti/": "lti.urls"}
    fragments = ["school_sign_in", "identities"]
    school_pages = ["lti:platforms"]
    on_attempt = ["lti.grades.note_answer"]
    tasks = {"lti.tasks.send_grades": Task(every=10)}

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from lti import teachers
        from lti.models import TeacherIdentity
        from schools.models import Membership
        from schools.single_sign_on import sessions

        sessions.register(TeacherIdentity, teachers.find_voucher)
        post_delete.connect(teachers.removed, sender=Membership, dispatch_uid="lti.removed")
