from django.apps import AppConfig


class ClassroomsConfig(AppConfig):
    name = "classrooms"

    def ready(self) -> None:
        from classrooms import erasing, guests, links

        guests.register()
        erasing.listen()
        links.listen()
