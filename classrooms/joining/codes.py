"""Codes that children type: of a class, and of a pupil who comes back.

Letters and digits that look alike (0 O, 1 I L, 5 S, 8 B, 2 Z, U V) are left out. A class’s code has 8 of 24 signs, some
37 bits; guessing is limited besides (`schools.rate_limits`). A pupil's code counts only within the class.
"""

from __future__ import annotations

import re
import secrets
import unicodedata

from django.utils.crypto import salted_hmac

SIGNS = "ACDEFGHJKMNPQRTUWXY34679"
CLASS_LENGTH, PUPIL_LENGTH = 8, 6
MAX_TYPED = 300
"""Characters that are read of what was typed: room for a link to the class."""
_LINK = re.compile(r"/c/([^/?#\s]+)")


def make_class_code() -> str:
    return _random(CLASS_LENGTH)


def make_pupil_code() -> str:
    """A code by which a pupil comes back."""
    return _random(PUPIL_LENGTH)


def read_code(typed: str) -> str:
    """A code as it is stored: capital letters and digits only, at most 20 of what was typed or of a link to a class."""
    text = unicodedata.normalize("NFKC", typed[:MAX_TYPED])
    if link := _LINK.search(text):
        text = link[1]
    return "".join(sign for sign in text.upper() if sign.isascii() and sign.isalnum())[:20]


def explain_wrong(code: str) -> str:
    """Name the signs of a code that was read which are never in one, as a sentence; empty where there are none."""
    strange = list(dict.fromkeys(sign for sign in code if sign not in SIGNS))
    if not strange:
        return ""
    *others, last = strange
    return f"{', '.join(others)} and {last} are never in a code." if others else f"{last} is never in a code."


def is_pupils(code: str) -> bool:
    """Whether a code that was read has the form of a pupil’s own one."""
    return len(code) == PUPIL_LENGTH and set(code) <= set(SIGNS)


def hash_pupil_code(code: str) -> str:
    """The keyed hash of a pupil's code, which is not stored itself."""
    return salted_hmac("classrooms.pupil-code", code, algorithm="sha256").hexdigest()


def _random(length: int) -> str:
    return "".join(secrets.choice(SIGNS) for _ in range(length))
