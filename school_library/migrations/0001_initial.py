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
        ("corpus", "0001_initial"),
        ("schools", "0001_initial"),
    ]

    operations = [
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
                (
                    "is_title_given",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="By a person or program. Any other title is taken from the file when it is first indexed",
                    ),
                ),
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
                            ("scans", "Recognising text"),
                            ("embedding", "Indexing the passages"),
                        ],
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0, editable=False)),
                ("progress_total", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "progress_first",
                    models.PositiveIntegerField(
                        default=0, editable=False, help_text="How much was done when this step began"
                    ),
                ),
                (
                    "progress_since",
                    models.DateTimeField(editable=False, help_text="When this step began", null=True),
                ),
                ("failure_reason", models.TextField(blank=True, editable=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("chunk_count", models.PositiveIntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("description", models.TextField(blank=True, max_length=2000)),
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
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        default="english",
                        editable=False,
                        help_text="PostgreSQL's text search configuration, detected by indexing",
                        max_length=20,
                    ),
                ),
                (
                    "attempted_at",
                    models.DateTimeField(editable=False, help_text="When the last attempt began", null=True),
                ),
            ],
            options={
                "ordering": ["title", "id"],
                "abstract": False,
                "indexes": [
                    models.Index(
                        condition=models.Q(("status__in", ("queued", "indexing"))),
                        fields=["school", "updated_at"],
                        name="school_document_unfinished",
                    ),
                    models.Index(fields=["attempted_at"], name="school_document_attempt"),
                    models.Index(fields=["school", "attempted_at"], name="school_document_turn"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("school", "id"), name="school_document_school"),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "indexing", "ready", "failed"])),
                        name="school_document_status",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SchoolVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("number", models.PositiveIntegerField()),
                ("file", models.FileField(max_length=200, upload_to=corpus.models.stored_name)),
                ("filename", models.CharField(max_length=255)),
                ("media_type", models.CharField(blank=True, max_length=100)),
                ("size", models.PositiveBigIntegerField(help_text="bytes")),
                ("content_hash", models.CharField(help_text="SHA-256 of the file", max_length=64)),
                (
                    "web_address",
                    models.CharField(blank=True, help_text="of a web page that was fetched", max_length=2000),
                ),
                (
                    "fetched_at",
                    models.DateTimeField(blank=True, help_text="When the web page last had this text", null=True),
                ),
                ("pages", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "notes",
                    models.JSONField(blank=True, default=list, help_text="Warnings, such as pages without text"),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("indexed_at", models.DateTimeField(blank=True, null=True)),
                ("chunks_kept", models.PositiveIntegerField(blank=True, null=True)),
                ("chunks_added", models.PositiveIntegerField(blank=True, null=True)),
                ("chunks_removed", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="school_library.schooldocument",
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "cancelled_at",
                    models.DateTimeField(blank=True, help_text="When it was cancelled, before it answered", null=True),
                ),
                (
                    "recognised_pages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        blank=True,
                        default=list,
                        help_text="Pages whose text was recognised (OCR)",
                        size=None,
                    ),
                ),
                (
                    "page_labels",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=20),
                        blank=True,
                        default=list,
                        help_text="Printed numbers of all pages, if they differ from 1, 2, 3",
                        size=None,
                    ),
                ),
                (
                    "marks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=84),
                        blank=True,
                        default=list,
                        help_text="Words in “**bold**” and “*italics*” that the text has plain",
                        size=None,
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(fields=("document", "number"), name="school_version_number"),
                    schools.constraints.SameSchool(field="document", name="school_version_document"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SchoolChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
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
                    models.CharField(help_text="SHA-256 of the embedded text (headings and text)", max_length=64),
                ),
                (
                    "embedding",
                    pgvector.django.halfvec.HalfVectorField(help_text="unit length, dimensions of the model"),
                ),
                ("embedding_model", models.CharField(max_length=120)),
                (
                    "search",
                    django.contrib.postgres.search.SearchVectorField(
                        help_text="stems of title, headings and text, without positions"
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chunks",
                        to="school_library.schooldocument",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        default="english",
                        help_text="PostgreSQL's text search configuration, detected by indexing",
                        max_length=20,
                    ),
                ),
                (
                    "file_path",
                    models.TextField(blank=True, default="", help_text="of the file within a textbook"),
                ),
                (
                    "purpose",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="what it is for: see `text.sections.Purpose`",
                        max_length=10,
                    ),
                ),
                (
                    "numbers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        blank=True,
                        default=list,
                        help_text="of a textbook: the number of each heading",
                        size=None,
                    ),
                ),
            ],
            options={
                "ordering": ["document_id", "position"],
                "abstract": False,
                "indexes": [models.Index(fields=["document", "block"], name="school_chunk_block")],
                "constraints": [
                    models.UniqueConstraint(fields=("document", "position"), name="school_chunk_position"),
                    schools.constraints.SameSchool(field="document", name="school_chunk_document"),
                ],
            },
        ),
        # Keep what every search reads in line and short: a wide row pushes the vector to TOAST, and a search then takes six times as long.
        migrations.RunSQL(
            """
            ALTER TABLE school_library_schoolchunk ALTER COLUMN embedding SET STORAGE PLAIN,
                ALTER COLUMN search SET STORAGE MAIN, ALTER COLUMN text SET STORAGE EXTERNAL;
            ALTER TABLE school_library_schoolchunk SET (toast_tuple_target = 128);
            CREATE INDEX school_chunk_sample ON school_library_schoolchunk (document_id) WHERE id % 64 = 0;
            """,
            migrations.RunSQL.noop,
        ),
        migrations.CreateModel(
            name="SchoolReadingReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField(help_text="Number of the version")),
                ("place", models.CharField(help_text="Page, or headings", max_length=300)),
                ("text", models.TextField(help_text="As it was read")),
                ("comment", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="school_library.schooldocument",
                    ),
                ),
                (
                    "reported_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "abstract": False,
                "constraints": [schools.constraints.SameSchool(field="document", name="school_report_document")],
            },
        ),
    ]
