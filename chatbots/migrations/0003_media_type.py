from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery

VERSIONS = {"personal": ("knowledge", "PersonalVersion"), "school": ("school_library", "SchoolVersion")}


def fill(apps: Any, schema_editor: Any) -> None:
    """Sources stored before, as far as their documents are still there."""
    sources = apps.get_model("chatbots", "MessageSource").objects
    for kind, name in VERSIONS.items():
        version = apps.get_model(*name).objects.filter(
            document=OuterRef("document_id"), number=OuterRef("version")
        )
        media_type = Subquery(version.values("media_type")[:1])
        sources.filter(kind=kind).alias(known=media_type).filter(known__isnull=False).update(
            media_type=media_type
        )


class Migration(migrations.Migration):
    dependencies = [
        ("chatbots", "0002_searched_for"),
        ("knowledge", "0005_cancelled"),
        ("school_library", "0005_cancelled"),
    ]

    operations = [
        migrations.AddField(
            model_name="messagesource",
            name="media_type",
            field=models.CharField(blank=True, default="", help_text="of the version", max_length=100),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
