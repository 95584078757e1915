from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class PrivacyConfig(AppConfig):
    name = "privacy"

    def ready(self) -> None:
        autodiscover_modules("personal_data")
