from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"

    def ready(self) -> None:
        from classrooms import audience, erasing, links
        from classrooms.personal_data import PERSONAL_DATA
        from privacy.registry import declare

        audience.register()
        erasing.listen()
        links.listen()
        declare(PERSONAL_DATA)
