import django.db.models.deletion
import pgvector.django.halfvec
from django.db import migrations, models
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("schools", "0001_initial"),
    ]

    operations = [
        VectorExtension(),
        migrations.CreateModel(
            name="Installation",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "model",
                    models.CharField(blank=True, help_text="Empty for all-MiniLM-L6-v2", max_length=500),
                ),
                ("runtime", models.CharField(max_length=10)),
                ("name", models.CharField(max_length=120)),
                ("target_model", models.CharField(blank=True, max_length=500)),
                ("target_runtime", models.CharField(blank=True, max_length=10)),
                ("target_name", models.CharField(blank=True, max_length=120)),
                (
                    "steps",
                    models.PositiveBigIntegerField(default=0, help_text="How many steps of the move have begun"),
                ),
                ("progress_done", models.PositiveBigIntegerField(default=0)),
                ("progress_total", models.PositiveBigIntegerField(default=0)),
                ("problem", models.TextField(blank=True, help_text="Why the worker makes no progress")),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                (
                    "worked_at",
                    models.DateTimeField(blank=True, help_text="When the worker last worked on it", null=True),
                ),
                (
                    "switched_at",
                    models.DateTimeField(blank=True, help_text="When the active model was switched to", null=True),
                ),
                (
                    "language_model_trial",
                    models.JSONField(blank=True, default=dict, help_text="What `language_model` found"),
                ),
            ],
            options={
                "verbose_name": "embedding model",
                "verbose_name_plural": "embedding model",
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="installation_one_row")],
            },
        ),
        migrations.CreateModel(
            name="NextVector",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("chunks", models.CharField(help_text="Label of the chunk's model", max_length=60)),
                ("chunk_id", models.BigIntegerField()),
                ("embedding", pgvector.django.halfvec.HalfVectorField()),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("chunks", "chunk_id"), name="next_vector_once")],
            },
        ),
    ]
