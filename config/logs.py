"""What is logged and how: without secrets (queries, keys of mailed links, codes of classes) and without routine."""

import logging
import re
import sys
from typing import Any

from config import environment as env
from config.background_tasks import make_schedule

_QUERY = re.compile(r"^((?:[A-Z]+ )?/[^\s?]*)\?\S*")  # of a path, or of a request's first line
_MAILED_KEY = re.compile(r"(/password/reset/key/|/invitation/\d+/|(?<!\S)/c/)[^/\s]+")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {
        "without_secrets": {"()": "config.logs.WithoutSecrets"},
        "without_routine": {"()": "config.logs.WithoutRoutine"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["without_secrets"],
            "formatter": "line",
            "stream": sys.stderr,
        }
    },
    "root": {
        "handlers": ["stderr"],
        "level": env.choice("LECTERN_LOG_LEVEL", "INFO", ["DEBUG", "INFO", "WARNING", "ERROR"]),
    },
    "loggers": {
        "httpx": {"level": "WARNING"},
        "trafilatura": {"level": "CRITICAL"},  # a page without text is no error of ours
        "django.server": {"handlers": ["stderr"], "propagate": False},
        # Uvicorn's lines, which have no time, become ours. Periodic tasks are told of when they did something.
        "uvicorn": {"handlers": [], "propagate": True},
        "uvicorn.access": {"handlers": [], "propagate": True},
        "celery.worker.strategy": {"filters": ["without_routine"]},
        "celery.app.trace": {"filters": ["without_routine"]},
    },
}


class WithoutSecrets(logging.Filter):
    """Shortens the arguments of a record. It lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_cut(value) if isinstance(value, str) else value for value in record.args)
        return True


class WithoutRoutine(logging.Filter):
    """Drops what Celery tells of periodic tasks, unless they failed or return what they did."""

    def filter(self, record: logging.LogRecord) -> bool:
        told = record.args if isinstance(record.args, dict) else {}
        is_routine = "name" in told and told["name"] in make_schedule()
        return record.levelno > logging.INFO or not is_routine or told.get("return_value", "0") not in ("0", "None")


def _cut(value: str) -> str:
    return _MAILED_KEY.sub(r"\1…", _QUERY.sub(r"\1", value))
