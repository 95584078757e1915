from celery.schedules import crontab
from django.db.models.signals import post_delete

from plugins import Plugin, Task


class ReferencesConfig(Plugin):
    name = "references"
    verbose_name = "Sources beyond the school"
    urls = {"references/": "references.urls"}
    api_urls = {"": "references.api_urls"}
    fragments = ["school_menu"]
    school_pages = ["references"]
    source_kinds = [
        "references.kinds.APPROVED",
        "references.kinds.WIKIPEDIA_OFFLINE",
        "references.kinds.WIKIPEDIA_LIVE",
    ]
    cautions = ["references.outside_calls.find_cautions"]
    tasks = {
        "references.tasks.warm_approved_pages": Task(every=crontab(hour="4", minute="23")),
        "references.tasks.read_wanted_pages": Task(queue="documents"),
    }

    def ready(self) -> None:
        from references.approved.cache import forget_removed
        from references.models import ApprovedPage

        post_delete.connect(forget_removed, sender=ApprovedPage)
