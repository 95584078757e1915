"""What the OpenAPI description says of the whole API: its title, its tags and the names of its choices."""

from typing import Any

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Lectern",
    "DESCRIPTION": "Chatbots that answer only from the documents a school trusts, for programs.",
    "VERSION": "1",
    "COMPONENT_SPLIT_REQUEST": True,
    "SORT_OPERATIONS": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "rest.health.with_health",
        "rest.schema.drop_unused_tags",
    ],
    "TAGS": [
        {"name": "about", "description": "Who asks, and what there is."},
        {"name": "documents", "description": "A teacher’s own documents."},
        {
            "name": "library",
            "description": "The school’s documents: every member reads them, its admins keep them.",
        },
        {"name": "approved", "description": "Web pages that the school’s admins have approved, by topic."},
        {"name": "references", "description": "Encyclopedias that are kept on this server."},
        {"name": "chatbots", "description": "Chatbots, and what they may read."},
        {"name": "asking", "description": "Questions, to a chatbot or about a selected text, and searches."},
        {"name": "conversations", "description": "What was asked and answered."},
        {"name": "learning", "description": "Study plans: concepts, practice questions, progress and a tutor."},
        {"name": "classes", "description": "Class links for pupils, and what was asked by them."},
        {"name": "usage", "description": "Figures, never what was asked."},
        {"name": "openai", "description": "For programs made for OpenAI’s chat completions."},
    ],
    "ENUM_NAME_OVERRIDES": {
        "DocumentStatus": "corpus.models.Status",
        "DocumentStage": "corpus.models.Stage",
        "AnswerStatus": "chatbots.models.MessageStatus",
        "ApprovedPageState": "references.models.PageState",
        "ChatbotKind": "chatbots.models.ChatbotKind",
        "SharedRole": "chatbots.api.sharing_serializers.ROLES",
        "SourceKind": "chatbots.api.serializers.SOURCES",
        "FeedbackVerdict": "chatbots.models.FeedbackVerdict",
        "PlanStatus": "learning.models.PlanStatus",
        "PlanStage": "learning.models.PlanStage",
        "QuestionKind": "learning.material.QuestionKind",
        "AttemptVerdict": "learning.material.Verdict",
        "AttemptRating": "learning.models.progress.RATINGS",
        "Role": "schools.models.Role",
        "ErasureKind": "privacy.models.ErasureKind",
        "ClassState": "classrooms.models.ClassState",
        "Scope": "schools.models.Scope",
    },
}
