from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"

    def ready(self) -> None:
        from classrooms import audience, erasing, links

        audience.register()
        erasing.listen()
        links.listen()
