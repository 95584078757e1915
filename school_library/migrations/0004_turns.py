"""When a document was last taken up: by that, schools and people take turns at indexing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("school_library", "0003_slim_rows"),
        ("schools", "0002_known_as"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="schooldocument",
            name="school_document_unfinished",
        ),
        migrations.AddField(
            model_name="schooldocument",
            name="attempted_at",
            field=models.DateTimeField(editable=False, help_text="When it was last taken up", null=True),
        ),
        migrations.AddIndex(
            model_name="schooldocument",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "indexing"))),
                fields=["school", "updated_at"],
                name="school_document_unfinished",
            ),
        ),
        migrations.AddIndex(
            model_name="schooldocument",
            index=models.Index(fields=["attempted_at"], name="school_document_attempt"),
        ),
        migrations.AddIndex(
            model_name="schooldocument",
            index=models.Index(fields=["school", "attempted_at"], name="school_document_turn"),
        ),
    ]
