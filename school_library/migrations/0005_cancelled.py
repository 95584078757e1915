"""Whether a version was taken back before it answered."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("school_library", "0004_turns"),
    ]

    operations = [
        migrations.AddField(
            model_name="schoolversion",
            name="cancelled_at",
            field=models.DateTimeField(blank=True, help_text="Taken back before it answered", null=True),
        ),
    ]
