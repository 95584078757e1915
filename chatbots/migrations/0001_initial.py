import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

import schools.constraints


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("knowledge", "0001_initial"),
        ("school_library", "0001_initial"),
        ("schools", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="Chat",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("title", models.CharField(max_length=120)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["-updated_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Chatbot",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("description", models.CharField(blank=True, max_length=300)),
                ("instructions", models.TextField(blank=True, max_length=4000)),
                ("subject", models.CharField(blank=True, max_length=60)),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("de", "German"), ("fr", "French"), ("es", "Spanish")],
                        default="en",
                        max_length=2,
                    ),
                ),
                (
                    "personal_weight",
                    models.PositiveSmallIntegerField(
                        default=60, validators=[django.core.validators.MaxValueValidator(100)]
                    ),
                ),
                (
                    "school_weight",
                    models.PositiveSmallIntegerField(
                        default=40, validators=[django.core.validators.MaxValueValidator(100)]
                    ),
                ),
                (
                    "places",
                    models.PositiveSmallIntegerField(
                        default=5,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(20),
                        ],
                    ),
                ),
                (
                    "when_unsure",
                    models.CharField(
                        choices=[
                            ("refuse", "Say that the sources do not answer it"),
                            ("general", "Answer from general knowledge, clearly marked"),
                        ],
                        default="refuse",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="ChatbotPersonalDocLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="ChatbotSchoolDocLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("question", models.TextField()),
                ("answer", models.TextField(blank=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "Searching"),
                            ("writing", "Writing"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("interrupted", "Interrupted"),
                        ],
                        default="pending",
                        max_length=12,
                    ),
                ),
                (
                    "mode",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("grounded", "From the sources"),
                            ("refused", "Refused"),
                            ("general", "General (no local cite)"),
                        ],
                        max_length=10,
                    ),
                ),
                ("model", models.CharField(blank=True, help_text="What wrote the answer", max_length=120)),
                (
                    "unavailable",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=12), blank=True, default=list, size=None
                    ),
                ),
                (
                    "notice",
                    models.TextField(blank=True, help_text="What the reader is told beside the answer"),
                ),
                ("timings", models.JSONField(blank=True, default=dict, help_text="milliseconds")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("heartbeat_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["created_at", "id"],
            },
        ),
        migrations.CreateModel(
            name="MessageSource",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="the n of its [n]")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("personal", "Personal"),
                            ("school", "School"),
                            ("wikipedia", "Wikipedia"),
                            ("web", "Web"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "also_in",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=300), blank=True, default=list, size=None
                    ),
                ),
                ("document_id", models.UUIDField(db_index=True)),
                ("document_title", models.CharField(max_length=200)),
                ("version", models.PositiveIntegerField()),
                (
                    "heading_path",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("page", models.PositiveIntegerField(blank=True, null=True)),
                ("line_start", models.PositiveIntegerField(blank=True, null=True)),
                ("line_end", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "position",
                    models.PositiveIntegerField(help_text="of the chunk within the document's version"),
                ),
                ("excerpt", models.TextField()),
                ("text", models.TextField(help_text="the enclosing section, which the answerer read")),
                ("relevance", models.FloatField(help_text="unweighted, between 0 and 1")),
                ("weight", models.PositiveSmallIntegerField(help_text="percent")),
                ("is_cited", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["message", "number"],
            },
        ),
        migrations.AddField(
            model_name="chat",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="chats", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="chat",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="chatbot",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chatbots",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="chatbot",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="chat",
            name="chatbot",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chats",
                to="chatbots.chatbot",
            ),
        ),
        migrations.AddField(
            model_name="chatbotpersonaldoclink",
            name="chatbot",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="personal_links",
                to="chatbots.chatbot",
            ),
        ),
        migrations.AddField(
            model_name="chatbotpersonaldoclink",
            name="document",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chatbot_links",
                to="knowledge.personaldocument",
            ),
        ),
        migrations.AddField(
            model_name="chatbotpersonaldoclink",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="chatbot",
            name="personal_documents",
            field=models.ManyToManyField(
                related_name="chatbots",
                through="chatbots.ChatbotPersonalDocLink",
                to="knowledge.personaldocument",
            ),
        ),
        migrations.AddField(
            model_name="chatbotschooldoclink",
            name="chatbot",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="school_links",
                to="chatbots.chatbot",
            ),
        ),
        migrations.AddField(
            model_name="chatbotschooldoclink",
            name="document",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chatbot_links",
                to="school_library.schooldocument",
            ),
        ),
        migrations.AddField(
            model_name="chatbotschooldoclink",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="chatbot",
            name="school_documents",
            field=models.ManyToManyField(
                related_name="chatbots",
                through="chatbots.ChatbotSchoolDocLink",
                to="school_library.schooldocument",
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="chat",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="chatbots.chat",
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddField(
            model_name="messagesource",
            name="message",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sources",
                to="chatbots.message",
            ),
        ),
        migrations.AddField(
            model_name="messagesource",
            name="school",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
            ),
        ),
        migrations.AddIndex(
            model_name="chat",
            index=models.Index(fields=["chatbot", "-updated_at"], name="chat_by_chatbot"),
        ),
        migrations.AddConstraint(
            model_name="chat",
            constraint=models.UniqueConstraint(fields=("school", "id"), name="chat_school"),
        ),
        migrations.AddConstraint(
            model_name="chatbotpersonaldoclink",
            constraint=models.UniqueConstraint(fields=("chatbot", "document"), name="personal_link_once"),
        ),
        migrations.AddConstraint(
            model_name="chatbotschooldoclink",
            constraint=models.UniqueConstraint(fields=("chatbot", "document"), name="school_link_once"),
        ),
        migrations.AddConstraint(
            model_name="chatbot",
            constraint=models.UniqueConstraint(fields=("school", "id"), name="chatbot_school"),
        ),
        migrations.AddConstraint(
            model_name="chatbot",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("personal_weight__lte", 100),
                    (
                        "school_weight",
                        django.db.models.expressions.CombinedExpression(
                            models.Value(100), "-", models.F("personal_weight")
                        ),
                    ),
                ),
                name="chatbot_weights_add_up_to_100",
                violation_error_message="The two weights must add up to 100.",
            ),
        ),
        migrations.AddConstraint(
            model_name="chatbot",
            constraint=models.CheckConstraint(
                condition=models.Q(("places__gte", 1), ("places__lte", 20)),
                name="chatbot_places_1_to_20",
                violation_error_message="A chatbot has between 1 and 20 places.",
            ),
        ),
        migrations.AddConstraint(
            model_name="chatbot",
            constraint=models.CheckConstraint(
                condition=models.Q(("when_unsure__in", ["refuse", "general"])), name="chatbot_when_unsure"
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("status__in", ("pending", "writing"))),
                fields=["heartbeat_at"],
                name="message_unfinished",
            ),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("school", "id"), name="message_school"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["pending", "writing", "done", "failed", "interrupted"])),
                name="message_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="messagesource",
            constraint=models.UniqueConstraint(fields=("message", "number"), name="source_number_once"),
        ),
        migrations.AddConstraint(
            model_name="messagesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("relevance__gte", 0), ("relevance__lte", 1)), name="source_relevance"
            ),
        ),
        migrations.AddConstraint(
            model_name="chat",
            constraint=schools.constraints.SameSchool(field="chatbot", name="chat_chatbot"),
        ),
        migrations.AddConstraint(
            model_name="chatbotpersonaldoclink",
            constraint=schools.constraints.SameSchool(field="chatbot", name="personal_link_chatbot"),
        ),
        migrations.AddConstraint(
            model_name="chatbotpersonaldoclink",
            constraint=schools.constraints.SameSchool(field="document", name="personal_link_document"),
        ),
        migrations.AddConstraint(
            model_name="chatbotschooldoclink",
            constraint=schools.constraints.SameSchool(field="chatbot", name="school_link_chatbot"),
        ),
        migrations.AddConstraint(
            model_name="chatbotschooldoclink",
            constraint=schools.constraints.SameSchool(field="document", name="school_link_document"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=schools.constraints.SameSchool(field="chat", name="message_chat"),
        ),
        migrations.AddConstraint(
            model_name="messagesource",
            constraint=schools.constraints.SameSchool(field="message", name="source_message"),
        ),
    ]
