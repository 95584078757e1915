import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

import schools.constraints

# The key cascades in the database: a row that goes because its school is gone is the only one that may go early. The
# nightly task says how many days are kept; whatever it says, an entry stays at least 30 days.
APPEND_ONLY = """
ALTER TABLE schools_auditentry ADD CONSTRAINT audit_entry_school FOREIGN KEY (school_id)
    REFERENCES schools_school (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    days int := greatest(30, coalesce(nullif(current_setting('lectern.audit_days', true), ''), '36500')::int);
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at < now() - make_interval(days => days) THEN
            RETURN OLD;
        ELSIF OLD.school_id IS NOT NULL AND NOT EXISTS (SELECT FROM schools_school WHERE id = OLD.school_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR DELETE ON schools_auditentry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_stays();
CREATE TRIGGER audit_entries_stay BEFORE TRUNCATE ON schools_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("email", models.EmailField(max_length=254, unique=True, verbose_name="e-mail address")),
                ("name", models.CharField(max_length=120)),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False, help_text="May sign in to Django admin.", verbose_name="operator"
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Untick to keep a person out and to keep what they have.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "alerts_on_sign_in",
                    models.BooleanField(
                        default=True,
                        help_text="A mail at the first sign-in on a device.",
                        verbose_name="mails about new devices",
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.Lower("email"), name="user_email_any_case")
                ],
            },
        ),
        migrations.CreateModel(
            name="School",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=160)),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "demands_second_factor",
                    models.BooleanField(
                        default=False,
                        help_text="Without one they get nowhere in the school.",
                        verbose_name="admins need a second factor",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("teacher", "Teacher"), ("admin", "School admin")],
                        default="teacher",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="schools.school",
                    ),
                ),
                (
                    "known_as",
                    models.CharField(blank=True, help_text="The name in this school.", max_length=120),
                ),
                (
                    "invited_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When they were last invited, until they join this school",
                        null=True,
                    ),
                ),
            ],
            options={
                "ordering": ["school__name", "user__name", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("school", "user"), name="membership_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["teacher", "admin"])), name="membership_role"
                    ),
                    models.UniqueConstraint(fields=("school", "id"), name="membership_school"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AccessToken",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("prefix", models.CharField(max_length=20)),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("read", "Read: look up, list and search"),
                            ("write", "Read and write: also ask, upload, change and delete"),
                        ],
                        default="read",
                        max_length=5,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "membership",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="schools.membership",
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
                "ordering": ["-id"],
                "constraints": [
                    schools.constraints.SameSchool(field="membership", name="access_token_membership"),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ["read", "write"])), name="access_token_scope"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("action", models.CharField(max_length=60)),
                (
                    "actor_id",
                    models.UUIDField(help_text="none: unknown, a command or Lectern itself", null=True),
                ),
                ("actor_name", models.CharField(blank=True, max_length=120)),
                ("actor_email", models.CharField(blank=True, max_length=254)),
                ("subject_kind", models.CharField(blank=True, max_length=40)),
                ("subject_id", models.CharField(blank=True, max_length=40)),
                ("subject_label", models.CharField(blank=True, max_length=200)),
                ("address", models.CharField(blank=True, help_text="IP address", max_length=45)),
                ("device", models.CharField(blank=True, help_text="user agent, shortened", max_length=160)),
                ("detail", models.JSONField(default=dict)),
                (
                    "school",
                    models.ForeignKey(
                        db_constraint=False,
                        help_text="none for acts outside any school",
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="schools.school",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit log entries",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["school", "-id"], name="audit_by_school"),
                    models.Index(fields=["at"], name="audit_old"),
                ],
            },
        ),
        migrations.RunSQL(APPEND_ONLY, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="school",
            name="members",
            field=models.ManyToManyField(
                related_name="schools", through="schools.Membership", to=settings.AUTH_USER_MODEL
            ),
        ),
    ]
