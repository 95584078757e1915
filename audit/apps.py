from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
    verbose_name = "Audit log"

    def ready(self) -> None:
        from audit.personal_data import PERSONAL_DATA
        from privacy.registry import declare

        declare(PERSONAL_DATA)
