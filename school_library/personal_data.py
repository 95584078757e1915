from privacy.registry import PersonalData, declare
from school_library.models import SchoolReadingReport, SchoolVersion

UPLOADS_EXPLANATION = (
    "Documents of the school’s library that the person uploaded. They are the school’s, and stay without the name."
)

declare(
    PersonalData(SchoolVersion, user="uploaded_by", blanks=True, keeps=lambda: UPLOADS_EXPLANATION),
    PersonalData(SchoolReadingReport, user="reported_by"),
)
