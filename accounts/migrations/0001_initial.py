import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

import schools.constraints


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("schools", "0001_initial"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdentityProvider",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="On the button, after “Continue with”: Google, Microsoft …", max_length=60
                    ),
                ),
                ("issuer", models.URLField(max_length=300)),
                ("client_id", models.CharField(max_length=300, verbose_name="client ID")),
                ("secret", models.TextField(help_text="Encrypted.", verbose_name="client secret")),
                (
                    "domains",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253),
                        help_text="Only addresses of these domains are let in.",
                        size=None,
                    ),
                ),
                (
                    "joins",
                    models.BooleanField(
                        default=False,
                        help_text="Whoever signs in with an address of these domains becomes a teacher of the school at once. Without it only members and people who are invited can sign in.",
                        verbose_name="unknown people join",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True, help_text="Untick to let nobody in by it any more.", verbose_name="active"
                    ),
                ),
                (
                    "is_on",
                    models.BooleanField(
                        default=True,
                        help_text="The school’s admins choose it.",
                        verbose_name="switched on by the school",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=["school", "id"], name="identity_provider_school"),
                    models.CheckConstraint(
                        condition=models.Q(("domains__len__gt", 0)), name="identity_provider_domains"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Identity",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("issuer", models.URLField(max_length=300)),
                ("subject", models.CharField(max_length=255)),
                (
                    "email",
                    models.EmailField(
                        help_text="As the issuer gave it the first time.",
                        max_length=254,
                        verbose_name="e-mail address",
                    ),
                ),
                ("connected_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("last_used_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="identities",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "provider",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="identities",
                        to="accounts.identityprovider",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "identities",
                "ordering": ["-id"],
                "constraints": [
                    schools.constraints.SameSchool(field="provider", name="identity_provider_of_school"),
                    models.UniqueConstraint(fields=["provider", "issuer", "subject"], name="identity_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="BrowserSession",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("device", models.CharField(blank=True, help_text="user agent, shortened", max_length=160)),
                ("address", models.CharField(blank=True, help_text="IP address", max_length=45)),
                ("signed_in_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("last_seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "session",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="sessions.session"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="browser_sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-last_seen_at", "-id"],
            },
        ),
    ]
