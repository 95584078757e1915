from django.apps import AppConfig


class ChatbotsConfig(AppConfig):
    name = "chatbots"

    def ready(self) -> None:
        from chatbots.conversations import document_merges  # noqa: F401 - begins to listen
        from chatbots.sharing import revocation  # noqa: F401 - begins to listen
