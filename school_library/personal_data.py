"""Personal data of this app: who uploaded a document."""

from __future__ import annotations

from privacy.registry import PersonalData
from school_library.models import SchoolVersion


def _describe_kept() -> str:
    return (
        "Documents of the school’s library that the person uploaded. They are the school’s, and stay without the name."
    )


PERSONAL_DATA = [PersonalData(SchoolVersion, user="uploaded_by", blanks=True, keeps=_describe_kept)]
