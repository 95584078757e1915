"""Settings, URLs and entry points of the project: what joins the apps together.

It may import any app; no app imports it, tests do.
"""

from .celery import app as celery_app

__all__ = ["celery_app"]
