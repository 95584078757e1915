from django.apps import AppConfig


class ChatbotsConfig(AppConfig):
    name = "chatbots"

    def ready(self) -> None:
        from chatbots.conversations import document_merges  # noqa: F401 - begins to listen
        from chatbots.personal_data import PERSONAL_DATA
        from chatbots.sharing import revocation  # noqa: F401 - begins to listen
        from privacy.registry import declare

        declare(PERSONAL_DATA)
