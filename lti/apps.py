from plugins import Plugin, Task


class LtiConfig(Plugin):
    name = "lti"
    verbose_name = "Learning platforms"
    needs = ["classrooms"]
    urls = {"lti/": "lti.urls"}
    fragments = ["school_sign_in", "identities", "class_desk"]
    school_pages = ["lti:platforms"]
    on_attempt = ["lti.grades.note_answer"]
    tasks = {"lti.tasks.send_grades": Task(every=10)}

    def ready(self) -> None:
        from lti import grades

        grades.listen()
