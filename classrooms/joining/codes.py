"""Codes that children type: of a class, and of a pupil who comes back.

Letters and digits that look alike (0 O, 1 I L, 5 S, 8 B, 2 Z, U V) are left out. A class’s code has 8 of 24 signs, some
37 bits; guessing is limited besides (`schools.rate_limits`). A pupil's code counts only within the class.
"""

from __future__ import annotations

import secrets

from django.utils.crypto import salted_hmac

SIGNS = "ACDEFGHJKMNPQRTUWXY34679"
CLASS_LENGTH, PUPIL_LENGTH = 8, 6


def new_class_code() -> str:
    """A code for a class."""
    return _random(CLASS_LENGTH)


def new_pupil_code() -> str:
    """A code by which a pupil comes back."""
    return _random(PUPIL_LENGTH)


def read_code(typed: str) -> str:
    """A code as it is stored: capital letters and digits only, at most 20 of what was typed."""
    return "".join(sign for sign in typed[:60].upper() if sign.isascii() and sign.isalnum())[:20]


def is_pupils(code: str) -> bool:
    """Whether a code that was read has the form of a pupil’s own one."""
    return len(code) == PUPIL_LENGTH and set(code) <= set(SIGNS)


def digest_of(code: str) -> str:
    """The keyed hash of a pupil's code, which is not stored itself."""
    return salted_hmac("classrooms.pupil-code", code, algorithm="sha256").hexdigest()


def _random(length: int) -> str:
    return "".join(secrets.choice(SIGNS) for _ in range(length))
