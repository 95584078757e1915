from django.apps import AppConfig


class ChatbotsConfig(AppConfig):
    name = "chatbots"

    def ready(self) -> None:
        from chatbots import merging  # noqa: F401 - begins to listen
