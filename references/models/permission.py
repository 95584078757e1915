"""Which sources beyond the school a school allows."""

from __future__ import annotations

from django.db import models

from schools.models import School, SchoolOwned
from schools.querysets import SchoolQuerySet


class ReferenceSettings(SchoolOwned):
    """What a school's admins allow its chatbots. A school without a row allows nothing."""

    school = models.OneToOneField(School, on_delete=models.CASCADE, related_name="reference_settings")
    allows_approved = models.BooleanField("approved pages", default=False)
    allows_wikipedia_offline = models.BooleanField("offline Wikipedia", default=False)
    allows_wikipedia_live = models.BooleanField("live Wikipedia and Wikibooks", default=False)
    allows_web_pages = models.BooleanField(
        "web pages as documents",
        default=False,
        help_text="Lets teachers add any public web page to their documents, and admins to the library.",
    )
    allows_outside_calls = models.BooleanField(
        "calls to the outside",
        default=True,
        help_text="Without them nothing is fetched for this school: stored pages and files still answer.",
    )
    allows_http = models.BooleanField(
        "pages without encryption",
        default=False,
        help_text="Lets approved pages, and web pages that become documents, have http addresses.",
    )

    objects = SchoolQuerySet["ReferenceSettings"].as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "reference settings"

    def __str__(self) -> str:
        return f"Sources beyond {self.school}"

    @classmethod
    def of(cls, school: School) -> ReferenceSettings:
        """The school's settings, with the defaults if it has none."""
        return cls.objects.for_school(school).first() or cls(school=school)
