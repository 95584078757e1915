from plugins import Plugin, Task


class ClassroomsConfig(Plugin):
    name = "classrooms"
    urls = {"": "classrooms.urls"}
    api_urls = {"": "classrooms.api_urls"}
    fragments = [
        "main_menu",
        "school_menu",
        "chat_menu",
        "sign_in",
        "no_unanswered",
        "erasing_chatbot",
        "erasing_member",
        "operator_notices",
        "operator_facts",
    ]
    school_pages = ["classrooms:school", "classrooms:safeguarding", "classrooms:concern"]
    guests = ["classrooms.audience.GUESTS"]
    figures = ["classrooms.mails.count_unsent"]
    tasks = {
        "classrooms.tasks.mail_new_flags": Task(every=30, queue="mail"),
        "classrooms.tasks.moderate_new_questions": Task(every=20),
    }

    def ready(self) -> None:
        from classrooms import erasing, links

        erasing.listen()
        links.listen()
