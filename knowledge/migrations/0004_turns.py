"""When a document was last taken up: by that, schools and people take turns at indexing."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0003_slim_rows"),
        ("schools", "0002_known_as"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="personaldocument",
            name="personal_document_unfinished",
        ),
        migrations.AddField(
            model_name="personaldocument",
            name="attempted_at",
            field=models.DateTimeField(editable=False, help_text="When it was last taken up", null=True),
        ),
        migrations.AddIndex(
            model_name="personaldocument",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "indexing"))),
                fields=["school", "owner", "updated_at"],
                name="personal_document_unfinished",
            ),
        ),
        migrations.AddIndex(
            model_name="personaldocument",
            index=models.Index(fields=["attempted_at"], name="personal_document_attempt"),
        ),
        migrations.AddIndex(
            model_name="personaldocument",
            index=models.Index(fields=["school", "attempted_at"], name="personal_document_school_turn"),
        ),
        migrations.AddIndex(
            model_name="personaldocument",
            index=models.Index(
                fields=["school", "owner", "attempted_at"], name="personal_document_owner_turn"
            ),
        ),
    ]
