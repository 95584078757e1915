from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    name = "privacy"

    def ready(self) -> None:
        from privacy.personal_data import PERSONAL_DATA
        from privacy.registry import declare

        declare(PERSONAL_DATA)
