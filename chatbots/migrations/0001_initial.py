import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

import schools.constraints

SHARES_ADD_UP = """
CREATE FUNCTION chatbots_shares_add_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM chatbots_chatbot
    WHERE id IN (NEW.chatbot_id, OLD.chatbot_id)
        AND 100 <> (SELECT coalesce(sum(weight), 0) FROM chatbots_chatbotsource WHERE chatbot_id = chatbots_chatbot.id);
    IF FOUND THEN
        RAISE EXCEPTION 'The shares of a chatbot must add up to 100.'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'chatbot_shares_add_up';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER chatbot_shares_add_up AFTER INSERT OR UPDATE OR DELETE ON chatbots_chatbotsource
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION chatbots_shares_add_up();
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("corpus", "0001_initial"),
        ("knowledge", "0001_initial"),
        ("school_library", "0001_initial"),
        ("schools", "0001_initial"),
    ]

    operations = [
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
                ("is_tutor", models.BooleanField(default=False, editable=False, help_text="of a study plan")),
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
                ("deleted_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "archived_at",
                    models.DateTimeField(blank=True, editable=False, help_text="when its owner archived it", null=True),
                ),
                (
                    "is_template",
                    models.BooleanField(
                        default=False,
                        help_text="Every member of the school may copy it.",
                        verbose_name="template of the school",
                    ),
                ),
                (
                    "colleagues_get_documents",
                    models.BooleanField(
                        default=False,
                        help_text="Colleagues with whom it is shared may get answers from the owner’s documents.",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chatbots",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("general", "General"), ("textbook", "Textbook")],
                        default="general",
                        max_length=10,
                    ),
                ),
                (
                    "is_named_in_log",
                    models.BooleanField(
                        default=False,
                        help_text="The name may reveal the teacher, so the log shows it only with the teacher’s consent.",
                        verbose_name="named in the school's question log",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", False)),
                        fields=["deleted_at"],
                        name="chatbot_deleted",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("school", "id"), name="chatbot_school"),
                    models.CheckConstraint(
                        condition=models.Q(("places__gte", 1), ("places__lte", 20)),
                        name="chatbot_places_1_to_20",
                        violation_error_message="A chatbot has between 1 and 20 places.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("when_unsure__in", ["refuse", "general"])),
                        name="chatbot_when_unsure",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["general", "textbook"])), name="chatbot_kind"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "textbook"), _negated=True),
                            ("when_unsure", "refuse"),
                            _connector="OR",
                        ),
                        name="chatbot_textbook_refuses",
                        violation_error_message="A textbook chatbot never answers from general knowledge.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Collaborator",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("reader", "May ask"), ("editor", "May ask and change it")], max_length=8
                    ),
                ),
                (
                    "archived_at",
                    models.DateTimeField(blank=True, help_text="when this colleague archived the chatbot", null=True),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "chatbot",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="collaborators",
                        to="chatbots.chatbot",
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_chatbots",
                        to="schools.membership",
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "shared_by",
                    models.ForeignKey(
                        db_constraint=False,
                        help_text="the owner",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="schools.membership",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "constraints": [
                    schools.constraints.SameSchool(field="chatbot", name="collaborator_chatbot"),
                    schools.constraints.SameSchool(field="membership", name="collaborator_membership"),
                    schools.constraints.SameSchool(field="shared_by", name="collaborator_shared_by"),
                    models.UniqueConstraint(fields=("chatbot", "membership"), name="collaborator_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["reader", "editor"])), name="collaborator_role"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("membership", models.F("shared_by")), _negated=True),
                        name="collaborator_not_the_owner",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChatbotSource",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("kind", models.CharField(max_length=20)),
                (
                    "participation",
                    models.CharField(
                        choices=[("shares", "Shares the places"), ("fills_in", "Fills in"), ("off", "Off")],
                        default="off",
                        max_length=10,
                    ),
                ),
                ("weight", models.PositiveSmallIntegerField(default=0, help_text="percent of the places")),
                (
                    "chatbot",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources",
                        to="chatbots.chatbot",
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
                "ordering": ["chatbot", "kind"],
                "constraints": [
                    schools.constraints.SameSchool(field="chatbot", name="chatbot_source_chatbot"),
                    models.UniqueConstraint(fields=("chatbot", "kind"), name="chatbot_source_once"),
                    models.CheckConstraint(
                        condition=models.Q(("participation__in", ["shares", "fills_in", "off"])),
                        name="chatbot_source_participation",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("weight", 0),
                            models.Q(("participation", "shares"), ("weight__lte", 100)),
                            _connector="OR",
                        ),
                        name="chatbot_source_weight",
                    ),
                ],
            },
        ),
        migrations.RunSQL(SHARES_ADD_UP, "DROP FUNCTION chatbots_shares_add_up CASCADE"),
        migrations.CreateModel(
            name="ChatbotPersonalDocLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "chatbot",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="personal_links",
                        to="chatbots.chatbot",
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chatbot_links",
                        to="knowledge.personaldocument",
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
                "constraints": [
                    models.UniqueConstraint(fields=("chatbot", "document"), name="personal_link_once"),
                    schools.constraints.SameSchool(field="chatbot", name="personal_link_chatbot"),
                    schools.constraints.SameSchool(field="document", name="personal_link_document"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChatbotSchoolDocLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "chatbot",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="school_links",
                        to="chatbots.chatbot",
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chatbot_links",
                        to="school_library.schooldocument",
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
                "constraints": [
                    models.UniqueConstraint(fields=("chatbot", "document"), name="school_link_once"),
                    schools.constraints.SameSchool(field="chatbot", name="school_link_chatbot"),
                    schools.constraints.SameSchool(field="document", name="school_link_document"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participants",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("school", "id"), name="participant_school"),
                    models.UniqueConstraint(fields=("school", "user"), name="participant_once"),
                ],
            },
        ),
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
                (
                    "participant",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chats",
                        to="chatbots.participant",
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "chatbot",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chats",
                        to="chatbots.chatbot",
                    ),
                ),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.contrib.postgres.search.CombinedSearchVector(
                            django.contrib.postgres.search.CombinedSearchVector(
                                django.contrib.postgres.search.CombinedSearchVector(
                                    django.contrib.postgres.search.CombinedSearchVector(
                                        django.contrib.postgres.search.SearchVector(
                                            models.Func(
                                                django.db.models.functions.text.Left("title", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            config="simple",
                                        ),
                                        "||",
                                        django.contrib.postgres.search.SearchVector(
                                            models.Func(
                                                django.db.models.functions.text.Left("title", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            config="english",
                                        ),
                                        django.contrib.postgres.search.SearchConfig("simple"),
                                    ),
                                    "||",
                                    django.contrib.postgres.search.SearchVector(
                                        models.Func(
                                            django.db.models.functions.text.Left("title", 20000),
                                            models.Value(
                                                "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                            ),
                                            models.Value(
                                                "                                        '01234567890123456789---"
                                            ),
                                            function="translate",
                                        ),
                                        config="german",
                                    ),
                                    django.contrib.postgres.search.SearchConfig("simple"),
                                ),
                                "||",
                                django.contrib.postgres.search.SearchVector(
                                    models.Func(
                                        django.db.models.functions.text.Left("title", 20000),
                                        models.Value(
                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                        ),
                                        models.Value(
                                            "                                        '01234567890123456789---"
                                        ),
                                        function="translate",
                                    ),
                                    config="french",
                                ),
                                django.contrib.postgres.search.SearchConfig("simple"),
                            ),
                            "||",
                            django.contrib.postgres.search.SearchVector(
                                models.Func(
                                    django.db.models.functions.text.Left("title", 20000),
                                    models.Value(
                                        "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                    ),
                                    models.Value("                                        '01234567890123456789---"),
                                    function="translate",
                                ),
                                config="spanish",
                            ),
                            django.contrib.postgres.search.SearchConfig("simple"),
                        ),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
            ],
            options={
                "verbose_name": "conversation",
                "ordering": ["-updated_at", "-id"],
                "indexes": [
                    models.Index(fields=["chatbot", "-updated_at"], name="chat_by_chatbot"),
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", False)),
                        fields=["deleted_at"],
                        name="chat_deleted",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("school", "id"), name="chat_school"),
                    schools.constraints.SameSchool(field="chatbot", name="chat_chatbot"),
                    schools.constraints.SameSchool(field="participant", name="chat_participant"),
                ],
            },
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
                            ("stopped", "Stopped"),
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
                            ("selection", "From the selected text only"),
                            ("manners", "A friendly reply"),
                        ],
                        max_length=10,
                    ),
                ),
                ("model", models.CharField(blank=True, help_text="What wrote the answer", max_length=120)),
                (
                    "unavailable",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=20), blank=True, default=list, size=None
                    ),
                ),
                (
                    "notice",
                    models.TextField(blank=True, help_text="Shown beside the answer"),
                ),
                (
                    "finish_reason",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="why the model stopped: see engines.llm.FINISH_REASONS",
                        max_length=14,
                    ),
                ),
                ("timings", models.JSONField(blank=True, default=dict, help_text="milliseconds")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("heartbeat_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "chat",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="chatbots.chat",
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "searched_for",
                    models.TextField(
                        blank=True,
                        default="",
                        help_text="The rewritten query, if the question refers to the conversation",
                    ),
                ),
                (
                    "support",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="by position of the marker: its state and the number of a better source",
                    ),
                ),
                (
                    "unfounded",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="start and end of numbers, names and sentences that no source contains",
                    ),
                ),
                (
                    "version_of",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="chatbots.message",
                    ),
                ),
                (
                    "chosen",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="how its passages were chosen: see chatbots.answering.explanations",
                    ),
                ),
                (
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Case(
                            models.When(
                                finished_at__isnull=False,
                                then=django.contrib.postgres.search.CombinedSearchVector(
                                    django.contrib.postgres.search.CombinedSearchVector(
                                        django.contrib.postgres.search.CombinedSearchVector(
                                            django.contrib.postgres.search.CombinedSearchVector(
                                                django.contrib.postgres.search.SearchVector(
                                                    models.Func(
                                                        django.db.models.functions.text.Left("question", 20000),
                                                        models.Value(
                                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                        ),
                                                        models.Value(
                                                            "                                        '01234567890123456789---"
                                                        ),
                                                        function="translate",
                                                    ),
                                                    models.Func(
                                                        django.db.models.functions.text.Left("answer", 20000),
                                                        models.Value(
                                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                        ),
                                                        models.Value(
                                                            "                                        '01234567890123456789---"
                                                        ),
                                                        function="translate",
                                                    ),
                                                    config="simple",
                                                ),
                                                "||",
                                                django.contrib.postgres.search.SearchVector(
                                                    models.Func(
                                                        django.db.models.functions.text.Left("question", 20000),
                                                        models.Value(
                                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                        ),
                                                        models.Value(
                                                            "                                        '01234567890123456789---"
                                                        ),
                                                        function="translate",
                                                    ),
                                                    models.Func(
                                                        django.db.models.functions.text.Left("answer", 20000),
                                                        models.Value(
                                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                        ),
                                                        models.Value(
                                                            "                                        '01234567890123456789---"
                                                        ),
                                                        function="translate",
                                                    ),
                                                    config="english",
                                                ),
                                                django.contrib.postgres.search.SearchConfig("simple"),
                                            ),
                                            "||",
                                            django.contrib.postgres.search.SearchVector(
                                                models.Func(
                                                    django.db.models.functions.text.Left("question", 20000),
                                                    models.Value(
                                                        "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                    ),
                                                    models.Value(
                                                        "                                        '01234567890123456789---"
                                                    ),
                                                    function="translate",
                                                ),
                                                models.Func(
                                                    django.db.models.functions.text.Left("answer", 20000),
                                                    models.Value(
                                                        "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                    ),
                                                    models.Value(
                                                        "                                        '01234567890123456789---"
                                                    ),
                                                    function="translate",
                                                ),
                                                config="german",
                                            ),
                                            django.contrib.postgres.search.SearchConfig("simple"),
                                        ),
                                        "||",
                                        django.contrib.postgres.search.SearchVector(
                                            models.Func(
                                                django.db.models.functions.text.Left("question", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            models.Func(
                                                django.db.models.functions.text.Left("answer", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            config="french",
                                        ),
                                        django.contrib.postgres.search.SearchConfig("simple"),
                                    ),
                                    "||",
                                    django.contrib.postgres.search.SearchVector(
                                        models.Func(
                                            django.db.models.functions.text.Left("question", 20000),
                                            models.Value(
                                                "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                            ),
                                            models.Value(
                                                "                                        '01234567890123456789---"
                                            ),
                                            function="translate",
                                        ),
                                        models.Func(
                                            django.db.models.functions.text.Left("answer", 20000),
                                            models.Value(
                                                "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                            ),
                                            models.Value(
                                                "                                        '01234567890123456789---"
                                            ),
                                            function="translate",
                                        ),
                                        config="spanish",
                                    ),
                                    django.contrib.postgres.search.SearchConfig("simple"),
                                ),
                            )
                        ),
                        help_text="only when finished: an unfinished answer is saved many times",
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
                (
                    "dismissed_at",
                    models.DateTimeField(blank=True, help_text="when the teacher dismissed the refusal", null=True),
                ),
                (
                    "tried",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="what a later search found for a refused question: see chatbots.insights.unanswered",
                    ),
                ),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("web", "On the website"),
                            ("api", "By the API"),
                            ("openai", "By an OpenAI-compatible client"),
                            ("class", "By a pupil of a class"),
                        ],
                        default="web",
                        max_length=10,
                    ),
                ),
                (
                    "failure",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="What went wrong: the code of an EngineError, or fault",
                        max_length=12,
                    ),
                ),
                (
                    "selection_hash",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="SHA-256 of the selected text that the answer is restricted to",
                        max_length=64,
                    ),
                ),
                (
                    "asked_page",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="kind, id and title of the page that the answer is restricted to",
                    ),
                ),
                (
                    "reasoning",
                    models.TextField(
                        blank=True,
                        default="",
                        help_text="what the model thought before the answer, which it is no part of",
                    ),
                ),
                (
                    "model_text",
                    models.TextField(
                        blank=True,
                        default="",
                        help_text="what the model wrote, if quotations have taken its place as the answer",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "indexes": [
                    models.Index(fields=["school", "created_at"], name="message_school_created"),
                    django.contrib.postgres.indexes.GinIndex(fields=["search"], name="message_words"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("school", "id"), name="message_school"),
                    schools.constraints.SameSchool(field="chat", name="message_chat"),
                    schools.constraints.SameSchool(field="version_of", name="message_version_of"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["pending", "writing", "done", "failed", "interrupted", "stopped"])
                        ),
                        name="message_status",
                    ),
                    models.UniqueConstraint(
                        django.db.models.functions.comparison.Coalesce(
                            "version_of", "id", output_field=models.UUIDField()
                        ),
                        condition=models.Q(("status__in", ("pending", "writing"))),
                        name="message_written_once",
                    ),
                ],
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
                    models.CharField(max_length=20),
                ),
                (
                    "also_in",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=300), blank=True, default=list, size=None
                    ),
                ),
                ("document_id", models.UUIDField(blank=True, db_index=True, null=True)),
                ("document_title", models.CharField(max_length=200)),
                ("version", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "address",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="a path of this site, or a web address; empty for a file",
                        max_length=2000,
                    ),
                ),
                (
                    "external_id",
                    models.CharField(blank=True, default="", help_text="id in the external source", max_length=200),
                ),
                ("revision", models.CharField(blank=True, default="", max_length=100)),
                ("read_at", models.DateTimeField(blank=True, help_text="if it was read on the web", null=True)),
                (
                    "heading_path",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("page", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "page_label",
                    models.CharField(
                        blank=True, default="", help_text="its printed number, if it is another one", max_length=20
                    ),
                ),
                ("line_start", models.PositiveIntegerField(blank=True, null=True)),
                ("line_end", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "position",
                    models.PositiveIntegerField(default=0, help_text="of the chunk within the document's version"),
                ),
                ("excerpt", models.TextField()),
                ("text", models.TextField(help_text="the enclosing section")),
                ("relevance", models.FloatField(help_text="unweighted, between 0 and 1")),
                (
                    "certainty",
                    models.FloatField(blank=True, help_text="that it answers the question, if it was read", null=True),
                ),
                (
                    "answer_words",
                    models.TextField(
                        blank=True, default="", help_text="the likeliest answer, as it stands in the text"
                    ),
                ),
                ("weight", models.PositiveSmallIntegerField(help_text="percent")),
                ("is_cited", models.BooleanField(default=False)),
                (
                    "message",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources",
                        to="chatbots.message",
                    ),
                ),
                (
                    "school",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="schools.school"
                    ),
                ),
                (
                    "media_type",
                    models.CharField(blank=True, default="", help_text="of the version", max_length=100),
                ),
                (
                    "is_recognised",
                    models.BooleanField(default=False, help_text="from a scan: it may contain mistakes"),
                ),
                (
                    "standing",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="how it was ranked: see chatbots.answering.explanations",
                    ),
                ),
                (
                    "was_given",
                    models.BooleanField(default=True, help_text="to the model: False if it did not fit its window"),
                ),
                (
                    "file_path",
                    models.TextField(blank=True, default="", help_text="in a textbook of several files"),
                ),
                (
                    "label",
                    models.TextField(blank=True, default="", help_text="of a textbook: Module 1, Chapter 2"),
                ),
            ],
            options={
                "ordering": ["message", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("message", "number"), name="source_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(("relevance__gte", 0), ("relevance__lte", 1)),
                        name="source_relevance",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("certainty__gte", 0), ("certainty__lte", 1)),
                        name="source_certainty",
                    ),
                    schools.constraints.SameSchool(field="message", name="source_message"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("document_id__isnull", False), ("version__isnull", False)),
                            models.Q(
                                models.Q(
                                    models.Q(("address", ""), _negated=True),
                                    ("kind", "selection"),
                                    _connector="OR",
                                ),
                                ("document_id", None),
                                ("version", None),
                            ),
                            _connector="OR",
                        ),
                        name="source_can_be_opened",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("address", ""),
                            ("address__regex", "^(https?://[^\\s/]\\S*|/([^\\s/\\\\]\\S*)?)$"),
                            _connector="OR",
                        ),
                        name="source_address",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Selection",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("text", models.TextField()),
                (
                    "language",
                    models.CharField(help_text="language of the answer: the chatbot's, else the text's", max_length=2),
                ),
                (
                    "document_id",
                    models.UUIDField(blank=True, db_index=True, help_text="document that contains the text", null=True),
                ),
                ("document_title", models.CharField(blank=True, max_length=200)),
                ("version", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "message",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="selection",
                        to="chatbots.message",
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
                "constraints": [schools.constraints.SameSchool(field="message", name="selection_message")],
            },
        ),
        migrations.CreateModel(
            name="PromptRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("turns", models.JSONField(help_text="role and content of each message")),
                ("answerer", models.CharField(help_text="the model", max_length=120)),
                (
                    "times",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="calls; a second one follows wrong citations"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "message",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prompt_record",
                        to="chatbots.message",
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
                "constraints": [schools.constraints.SameSchool(field="message", name="prompt_record_message")],
            },
        ),
        migrations.CreateModel(
            name="Feedback",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                (
                    "verdict",
                    models.CharField(choices=[("up", "Helpful"), ("down", "Not helpful")], max_length=4),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("citation", "Wrong citation"),
                            ("unfounded", "Not in the sources"),
                            ("unclear", "Unclear"),
                            ("incomplete", "Incomplete"),
                            ("other", "Something else"),
                        ],
                        max_length=12,
                    ),
                ),
                ("words", models.CharField(blank=True, max_length=500)),
                ("given_at", models.DateTimeField(auto_now=True)),
                (
                    "message",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feedback",
                        to="chatbots.message",
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
                "verbose_name_plural": "feedback",
                "constraints": [
                    schools.constraints.SameSchool(field="message", name="feedback_message"),
                    models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["up", "down"])), name="feedback_verdict"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                (
                                    "reason__in",
                                    ["", "citation", "unfounded", "unclear", "incomplete", "other"],
                                ),
                                ("verdict", "down"),
                            ),
                            models.Q(("reason", ""), ("words", "")),
                            _connector="OR",
                        ),
                        name="feedback_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="QuestionLogEntry",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "message_id",
                    models.UUIDField(help_text="not a foreign key: the answer may be erased earlier", unique=True),
                ),
                ("asked_at", models.DateTimeField(help_text="only the day is shown")),
                (
                    "chatbot_id",
                    models.UUIDField(blank=True, help_text="only if the chatbot is named", null=True),
                ),
                ("chatbot_name", models.CharField(blank=True, max_length=100)),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("web", "On the website"),
                            ("api", "By the API"),
                            ("openai", "By an OpenAI-compatible client"),
                            ("class", "By a pupil of a class"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("answered", "Answered"),
                            ("refused", "Refused"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        max_length=10,
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
                            ("selection", "From the selected text only"),
                            ("manners", "A friendly reply"),
                        ],
                        max_length=10,
                    ),
                ),
                ("model", models.CharField(blank=True, help_text="What wrote the answer", max_length=120)),
                ("question", models.TextField()),
                (
                    "answer",
                    models.TextField(blank=True, help_text="empty if it uses the teacher's own documents"),
                ),
                (
                    "draws_on_own",
                    models.BooleanField(
                        default=False,
                        help_text="the answer or an earlier one used a personal document or a selected text",
                    ),
                ),
                (
                    "citations",
                    models.JSONField(
                        blank=True, default=list, help_text="of the library: see chatbots.question_log.store"
                    ),
                ),
                ("selection_hash", models.CharField(blank=True, default="", max_length=64)),
                (
                    "search",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.contrib.postgres.search.CombinedSearchVector(
                            django.contrib.postgres.search.CombinedSearchVector(
                                django.contrib.postgres.search.CombinedSearchVector(
                                    django.contrib.postgres.search.CombinedSearchVector(
                                        django.contrib.postgres.search.SearchVector(
                                            models.Func(
                                                django.db.models.functions.text.Left("question", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            models.Func(
                                                django.db.models.functions.text.Left("answer", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            config="simple",
                                        ),
                                        "||",
                                        django.contrib.postgres.search.SearchVector(
                                            models.Func(
                                                django.db.models.functions.text.Left("question", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            models.Func(
                                                django.db.models.functions.text.Left("answer", 20000),
                                                models.Value(
                                                    "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                                ),
                                                models.Value(
                                                    "                                        '01234567890123456789---"
                                                ),
                                                function="translate",
                                            ),
                                            config="english",
                                        ),
                                        django.contrib.postgres.search.SearchConfig("simple"),
                                    ),
                                    "||",
                                    django.contrib.postgres.search.SearchVector(
                                        models.Func(
                                            django.db.models.functions.text.Left("question", 20000),
                                            models.Value(
                                                "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                            ),
                                            models.Value(
                                                "                                        '01234567890123456789---"
                                            ),
                                            function="translate",
                                        ),
                                        models.Func(
                                            django.db.models.functions.text.Left("answer", 20000),
                                            models.Value(
                                                "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                            ),
                                            models.Value(
                                                "                                        '01234567890123456789---"
                                            ),
                                            function="translate",
                                        ),
                                        config="german",
                                    ),
                                    django.contrib.postgres.search.SearchConfig("simple"),
                                ),
                                "||",
                                django.contrib.postgres.search.SearchVector(
                                    models.Func(
                                        django.db.models.functions.text.Left("question", 20000),
                                        models.Value(
                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                        ),
                                        models.Value(
                                            "                                        '01234567890123456789---"
                                        ),
                                        function="translate",
                                    ),
                                    models.Func(
                                        django.db.models.functions.text.Left("answer", 20000),
                                        models.Value(
                                            "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                        ),
                                        models.Value(
                                            "                                        '01234567890123456789---"
                                        ),
                                        function="translate",
                                    ),
                                    config="french",
                                ),
                                django.contrib.postgres.search.SearchConfig("simple"),
                            ),
                            "||",
                            django.contrib.postgres.search.SearchVector(
                                models.Func(
                                    django.db.models.functions.text.Left("question", 20000),
                                    models.Value(
                                        "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                    ),
                                    models.Value("                                        '01234567890123456789---"),
                                    function="translate",
                                ),
                                models.Func(
                                    django.db.models.functions.text.Left("answer", 20000),
                                    models.Value(
                                        "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\xa0\u202f’₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋"
                                    ),
                                    models.Value("                                        '01234567890123456789---"),
                                    function="translate",
                                ),
                                config="spanish",
                            ),
                            django.contrib.postgres.search.SearchConfig("simple"),
                        ),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
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
                "verbose_name_plural": "question log entries",
                "ordering": ["-asked_at", "-id"],
                "indexes": [
                    models.Index(fields=["school", "-asked_at", "-id"], name="logged_by_day"),
                    models.Index(fields=["asked_at"], name="logged_old"),
                    django.contrib.postgres.indexes.GinIndex(fields=["search"], name="logged_words"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("outcome__in", ["answered", "refused", "failed", "stopped"])),
                        name="logged_outcome",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("channel__in", ["web", "api", "openai", "class"])), name="logged_channel"
                    ),
                ],
            },
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
            model_name="chatbot",
            name="school_documents",
            field=models.ManyToManyField(
                related_name="chatbots",
                through="chatbots.ChatbotSchoolDocLink",
                to="school_library.schooldocument",
            ),
        ),
    ]
