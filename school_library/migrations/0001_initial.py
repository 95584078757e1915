import django.contrib.postgres.fields
import django.contrib.postgres.search
import django.db.models.deletion
import django.utils.timezone
import pgvector.django.halfvec
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

import corpus.models
import schools.constraints


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("corpus", "0001_vector"),
        ("schools", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="SchoolChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("block", models.PositiveIntegerField()),
                (
                    "heading_path",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("page", models.PositiveIntegerField(blank=True, null=True)),
                ("line_start", models.PositiveIntegerField(blank=True, null=True)),
                ("line_end", models.PositiveIntegerField(blank=True, null=True)),
                ("text", models.TextField()),
                ("tokens", models.PositiveIntegerField()),
                (
                    "content_hash",
                    models.CharField(
                        help_text="SHA-256 of what was embedded: headings and text", max_length=64
                    ),
                ),
                (
                    "embedding",
                    pgvector.django.halfvec.HalfVectorField(
                        help_text="unit length; its dimensions are those of the model"
                    ),
                ),
                ("embedding_model", models.CharField(max_length=120)),
                ("search", django.contrib.postgres.search.SearchVectorField()),
            ],
            options={
                "ordering": ["document_id", "position"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="SchoolDocument",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("version", models.PositiveIntegerField(default=1, editable=False)),
                ("answering_version", models.PositiveIntegerField(blank=True, editable=False, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("indexing", "Indexing"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        editable=False,
                        max_length=10,
                    ),
                ),
                (
                    "stage",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("reading", "Reading the file"),
                            ("embedding", "Learning the passages"),
                            ("saving", "Putting the new text in place"),
                        ],
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0, editable=False)),
                ("progress_total", models.PositiveIntegerField(default=0, editable=False)),
                ("failure_reason", models.TextField(blank=True, editable=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("chunk_count", models.PositiveIntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("description", models.TextField(blank=True)),
                ("subject", models.CharField(blank=True, max_length=60)),
                ("grade", models.CharField(blank=True, max_length=40)),
                (
                    "is_published",
                    models.BooleanField(
                        default=True,
                        help_text="Withdrawn documents are gone from answers at once.",
                        verbose_name="published",
                    ),
                ),
            ],
            options={
                "ordering": ["title", "id"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="SchoolVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("file", models.FileField(max_length=200, upload_to=corpus.models.stored_name)),
                ("filename", models.CharField(max_length=255)),
                ("media_type", models.CharField(blank=True, max_length=100)),
                ("size", models.PositiveBigIntegerField(help_text="bytes")),
                ("content_hash", models.CharField(help_text="SHA-256 of the file", max_length=64)),
                ("pages", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "notes",
                    models.JSONField(
                        blank=True, default=list, help_text="What was odd, such as pages without text"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("indexed_at", models.DateTimeField(blank=True, null=True)),
                ("chunks_kept", models.PositiveIntegerField(blank=True, null=True)),
                ("chunks_added", models.PositiveIntegerField(blank=True, null=True)),
                ("chunks_removed", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-number"],
                "abstract": False,
            },
        ),
        migrations.AddField(
            model_name="schoolchunk",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="schooldocument",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="schoolchunk",
            name="document",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chunks",
                to="school_library.schooldocument",
            ),
        ),
        migrations.AddField(
            model_name="schoolversion",
            name="document",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="versions",
                to="school_library.schooldocument",
            ),
        ),
        migrations.AddField(
            model_name="schoolversion",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="schoolversion",
            name="uploaded_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="schooldocument",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "indexing"))),
                fields=["updated_at"],
                name="school_document_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="schooldocument",
            constraint=models.UniqueConstraint(fields=("school", "id"), name="school_document_school"),
        ),
        migrations.AddConstraint(
            model_name="schooldocument",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "indexing", "ready", "failed"])),
                name="school_document_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="schoolchunk",
            constraint=models.UniqueConstraint(fields=("document", "position"), name="school_chunk_position"),
        ),
        migrations.AddConstraint(
            model_name="schoolversion",
            constraint=models.UniqueConstraint(fields=("document", "number"), name="school_version_number"),
        ),
        migrations.AddConstraint(
            model_name="schoolchunk",
            constraint=schools.constraints.SameSchool(field="document", name="school_chunk_document"),
        ),
        migrations.AddConstraint(
            model_name="schoolversion",
            constraint=schools.constraints.SameSchool(field="document", name="school_version_document"),
        ),
    ]
