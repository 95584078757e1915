import logging

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_delete

logger = logging.getLogger(__name__)


class ReferencesConfig(AppConfig):
    name = "references"
    verbose_name = "Sources beyond the school"

    def ready(self) -> None:
        from corpus.source_kinds import register
        from references.approved.removal import forget_removed
        from references.kinds import APPROVED, WIKIPEDIA_LIVE, WIKIPEDIA_OFFLINE
        from references.models import ApprovedPage

        for kind in (APPROVED, WIKIPEDIA_OFFLINE, WIKIPEDIA_LIVE):
            register(kind)
        post_delete.connect(forget_removed, sender=ApprovedPage)
        if settings.LECTERN_FETCH_LOOPBACK:
            logger.warning(
                "LECTERN_FETCH_LOOPBACK is on: listed web pages may be on this machine. Only for trying things out."
            )
