from django.apps import AppConfig

from operations import cautions


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self) -> None:
        for caution in cautions.find_in_settings():
            cautions.logger.warning(caution)
