"""Remove query strings, the keys of mailed links and the codes of classes from log records."""

import logging
import re

_QUERY = re.compile(r"^((?:[A-Z]+ )?/[^\s?]*)\?\S*")  # of a path, or of a request's first line
_MAILED_KEY = re.compile(r"(/password/reset/key/|/invitation/\d+/|(?<!\S)/c/)[^/\s]+")


class WithoutSecrets(logging.Filter):
    """Shortens the arguments of a record. It lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_cut(value) if isinstance(value, str) else value for value in record.args)
        return True


def _cut(value: str) -> str:
    return _MAILED_KEY.sub(r"\1…", _QUERY.sub(r"\1", value))
