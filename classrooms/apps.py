from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"

    def ready(self) -> None:
        from classrooms import erasing, guests

        guests.register()
        erasing.listen()
