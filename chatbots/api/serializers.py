"""Serializers of the chatbots API, with limits and error messages."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from chatbots.conversations.asking import MAX_QUESTION, MAX_SELECTION, MAX_TITLE, QuestionRefused, clean_question
from chatbots.conversations.listing import MAX_SEARCH_LENGTH
from chatbots.insights.usage import DAYS, PERIODS
from chatbots.models import FeedbackVerdict, MessageStatus, Reason
from corpus.certainty import Level
from corpus.source_kinds import list_kinds, list_searchable_kinds
from rest.pagination import PageQuery

MAX_PASSAGES = 50
"""The most passages that a search returns."""

MODES = ("grounded", "refused", "general", "selection", "manners")
SUPPORT = ("supported", "weak", "not_found")
SOURCES = [kind.value for kind in list_kinds()]
FILLED_IN = "Kinds that only fill in, and that took places which the others had left empty."
DISCLOSURE = "That a language model, or a program that quotes, answers and can be wrong. Show it to whoever asks."
MODEL_TEXT = (
    "What the model wrote, if quotations have taken its place: it named no source even when asked again, repeated "
    "itself, copied its instructions or said otherwise than the passages. Empty otherwise."
)
NOT_NEEDED = "Kinds that only fill in, and that were not needed."
LEVELS = [level.value for level in Level]
LEVEL = "What reading the passage, or else the search alone, says of it."
CERTAINTY = (
    "Probability that the passage answers the question, from 0 to 1, by search and reading; by the search alone where "
    "the reader does not know the language. Null where it is not known, as of web pages."
)
ANSWER_WORDS = "The likeliest answer as it stands in the text; empty if the passage was not read or has none."


class QuestionField(serializers.CharField):
    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=MAX_QUESTION,
            error_messages={
                "blank": "Please write a question.",
                "max_length": f"A question has at most {MAX_QUESTION:,} characters. Please shorten it.",
            },
            **options,
        )

    def run_validation(self, data: object = serializers.empty) -> str:
        try:
            return clean_question(super().run_validation(data))
        except QuestionRefused as reason:
            raise serializers.ValidationError(str(reason)) from None


class AskSerializer(serializers.Serializer[object]):
    question = QuestionField(help_text="Surrounding white space is removed.")
    chat_id = serializers.UUIDField(
        required=False, allow_null=True, help_text="The conversation to continue; without it a new one begins."
    )
    stream = serializers.BooleanField(default=False, help_text="Send the answer as server-sent events.")


class AskSelectionSerializer(serializers.Serializer[object]):
    question = QuestionField(help_text="Surrounding white space is removed.")
    selected_text = serializers.CharField(
        max_length=MAX_SELECTION,
        trim_whitespace=False,
        validators=(),
        help_text="The only text that the answer may use. Stored unchanged.",
        error_messages={
            "blank": "Please select some text.",
            "max_length": f"At most {MAX_SELECTION:,} characters can be selected. Select less.",
        },
    )
    document_id = serializers.UUIDField(
        required=False, allow_null=True, help_text="The document that contains the text. It is stored, not read."
    )
    chatbot_id = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="The conversation is listed under this chatbot, and the answer is in its language.",
    )
    stream = serializers.BooleanField(default=False, help_text="Send the answer as server-sent events.")

    def validate_selected_text(self, text: str) -> str:
        if not text.strip():
            raise serializers.ValidationError("Please select some text.")
        return text


class AskedPageSerializer(serializers.Serializer[object]):
    """A page that an answer is restricted to."""

    source = serializers.CharField(help_text="Its kind.")  # type: ignore[assignment]  # as above
    title = serializers.CharField()


class SearchSerializer(serializers.Serializer[object]):
    query = QuestionField()
    limit = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_PASSAGES,
        help_text="Maximum number of passages; by default the chatbot’s places.",
    )


class DocumentRefSerializer(serializers.Serializer[object]):
    """A document in the version that was read."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    version = serializers.IntegerField()


class PlaceSerializer(serializers.Serializer[Any]):
    """The location of a passage."""

    title = serializers.CharField(help_text="Title of the document or page.")
    uri = serializers.CharField(
        help_text="Where the source is: the path of the document’s page, or `address`; empty if neither is known."
    )
    address = serializers.CharField(
        help_text="Of a source that is not a document: a web address, or a path of this site. Of a document that was "
        "fetched from the web: the address of its page. Else empty."
    )
    revision = serializers.CharField(help_text="Of a source that is not a document, if known; else empty.")
    read_at = serializers.DateTimeField(allow_null=True, help_text="When it was read, if it is from the web.")
    document = DocumentRefSerializer(
        allow_null=True, help_text="Null for a source that is none, and for a selected text of an unknown document."
    )
    heading_path = serializers.ListField(child=serializers.CharField(), help_text="Headings, outermost first.")
    label = serializers.CharField(  # type: ignore[assignment]  # the stubs know an attribute of this name
        help_text="Of a textbook, such as “Module 1, Chapter 1, Section 2”; else empty."
    )
    file_path = serializers.CharField(help_text="Of a textbook of several files; else empty.")
    page = serializers.IntegerField(allow_null=True, help_text="Page or slide, from 1.")
    page_label = serializers.CharField(help_text="The printed number of the page, if it is another one; else empty.")
    line_range = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=2,
        max_length=2,
        allow_null=True,
        help_text="First and last line, from 1.",
    )


class CitationSerializer(PlaceSerializer):
    """A source that the answer cites as [number]."""

    number = serializers.IntegerField(help_text="The n of [n].")
    support = serializers.ChoiceField(
        choices=SUPPORT,
        allow_null=True,
        help_text="Whether the passage supports the claim; the weakest result if it is cited more than once, "
        "null if it could not be checked.",
    )


class SourceSerializer(PlaceSerializer):
    """A passage that was found for the answer."""

    number = serializers.IntegerField()
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the stubs know an attribute of this name
        choices=SOURCES, help_text="Where it was found."
    )
    excerpt = serializers.CharField()
    relevance = serializers.FloatField(help_text="From 0 to 1; passages below 0.5 are not used.")
    certainty = serializers.FloatField(allow_null=True, help_text=CERTAINTY)
    level = serializers.ChoiceField(choices=LEVELS, help_text=LEVEL)
    answer_words = serializers.CharField(help_text=ANSWER_WORDS)
    weight = serializers.IntegerField(help_text="Weight of its kind in percent; 0 if it only fills in.")
    cited = serializers.BooleanField()
    given = serializers.BooleanField(help_text="False if it did not fit the model’s window.")


class NearMissSerializer(serializers.Serializer[object]):
    """A passage that got no place."""

    source = serializers.ChoiceField(choices=SOURCES, help_text="Where it was found.")  # type: ignore[assignment]
    title = serializers.CharField(help_text="Of its document or page.")
    where = serializers.CharField(help_text="Its place there, in words.")
    excerpt = serializers.CharField(help_text="The part of it that is nearest to the question.")
    reason = serializers.CharField(help_text="Why it got none, in words.")


class AnswerSerializer(serializers.Serializer[object]):
    """A question with its answer."""

    message_id = serializers.UUIDField()
    chat_id = serializers.UUIDField()
    question = serializers.CharField()
    page = AskedPageSerializer(allow_null=True, help_text="The only page that the answer may use; null for any.")
    status = serializers.ChoiceField(choices=MessageStatus.choices)
    answer = serializers.CharField(help_text="Markdown with [n].")
    refused = serializers.BooleanField(help_text="The sources, or the selected text, do not answer the question.")
    near_misses = NearMissSerializer(many=True, help_text="Of a refusal: what came closest, and may not answer.")
    mode = serializers.ChoiceField(choices=MODES, allow_blank=True, help_text="Empty until it is known.")
    citations = CitationSerializer(many=True, help_text="In the order in which the answer cites them.")
    unfounded = serializers.ListField(
        child=serializers.CharField(),
        help_text="What no passage says, as it stands in the answer: numbers, names and sentences without a marker.",
    )
    sources = SourceSerializer(many=True, help_text="All passages, cited or not, the most relevant first.")
    unavailable = serializers.ListField(child=serializers.CharField(), help_text="Sources that could not be searched.")
    filled_in = serializers.ListField(child=serializers.CharField(), help_text=FILLED_IN)
    not_needed = serializers.ListField(child=serializers.CharField(), help_text=NOT_NEEDED)
    model = serializers.CharField(help_text="What wrote the answer; empty for a fixed sentence.")
    disclosure = serializers.CharField(help_text=DISCLOSURE)
    notice = serializers.CharField(help_text="A notice to show beside the answer.")
    model_text = serializers.CharField(help_text=MODEL_TEXT)
    finish_reason = serializers.CharField(
        help_text="Why the model stopped: `stop`, normally; `length`, at its limit; `content_filter`; `incomplete`, "
        "without an end signal. Empty if no model was asked, or if the answer was stopped or failed."
    )
    searched_for = serializers.CharField(
        help_text="What was searched for, if the question was rewritten or its spelling corrected."
    )
    timings = serializers.DictField(child=serializers.FloatField(), help_text="Milliseconds by step.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    version_of = serializers.UUIDField(
        allow_null=True, help_text="The first answer to the same question; null for the first one."
    )


class AgainSerializer(serializers.Serializer[object]):
    """Options of the new answer."""

    stream = serializers.BooleanField(default=False, help_text="Send the answer as server-sent events.")


class FeedbackSerializer(serializers.Serializer[object]):
    """Feedback on an answer."""

    verdict = serializers.ChoiceField(choices=FeedbackVerdict.choices)
    reason = serializers.ChoiceField(
        choices=Reason.choices,
        allow_blank=True,
        default="",
        help_text="Why the answer is not helpful; ignored for helpful answers.",
    )
    words = serializers.CharField(max_length=500, allow_blank=True, default="", help_text="A comment.")


class GivenFeedbackSerializer(serializers.Serializer[object]):
    """Stored feedback on an answer."""

    verdict = serializers.ChoiceField(choices=FeedbackVerdict.choices, allow_null=True)
    reason = serializers.ChoiceField(choices=Reason.choices, allow_blank=True)
    words = serializers.CharField(allow_blank=True)


class PassageSerializer(PlaceSerializer):
    """A passage that a search found."""

    rank = serializers.IntegerField(help_text="From 1.")
    source = serializers.ChoiceField(choices=[kind.value for kind in list_searchable_kinds()])  # type: ignore[assignment]
    text = serializers.CharField(help_text="The section that an answer would use.")
    excerpt = serializers.CharField(help_text="The part of it that matches.")
    relevance = serializers.FloatField(help_text="From 0 to 1.")
    certainty = serializers.FloatField(allow_null=True, help_text=CERTAINTY)
    level = serializers.ChoiceField(choices=LEVELS, help_text=LEVEL)
    answer_words = serializers.CharField(help_text=ANSWER_WORDS)
    weighted = serializers.FloatField(help_text="Relevance × share: the order.")


class SearchTimingsSerializer(serializers.Serializer[object]):
    """Milliseconds by step."""

    embed_ms = serializers.FloatField()
    search_ms = serializers.FloatField()
    read_ms = serializers.FloatField()
    total_ms = serializers.FloatField()


class FoundSerializer(serializers.Serializer[object]):
    """The result of a search."""

    searched_for = serializers.CharField(help_text="The query with its spelling corrected, if it was corrected.")
    passages = PassageSerializer(many=True)
    unavailable = serializers.ListField(child=serializers.CharField())
    filled_in = serializers.ListField(child=serializers.CharField(), help_text=FILLED_IN)
    not_needed = serializers.ListField(child=serializers.CharField(), help_text=NOT_NEEDED)
    timings = SearchTimingsSerializer()


class ChatQuery(PageQuery):
    chatbot = serializers.UUIDField(required=False, help_text="Only conversations with this chatbot.")
    q = serializers.CharField(
        required=False,
        max_length=MAX_SEARCH_LENGTH,
        allow_blank=True,
        help_text="Words that all occur in a title, or in a question with its answer.",
    )


class ChatSerializer(serializers.Serializer[object]):
    """A conversation."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    chatbot_id = serializers.UUIDField(allow_null=True, help_text="Null if it is only about a selected text.")
    questions = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ChatChangeSerializer(serializers.Serializer[object]):
    """A new name for a conversation."""

    title = serializers.CharField(
        max_length=MAX_TITLE, error_messages={"blank": "Please give it a name."}, required=False
    )


class UsageQuery(serializers.Serializer[object]):
    days = serializers.ChoiceField(choices=PERIODS, default=DAYS)


class FiguresSerializer(serializers.Serializer[object]):
    """Questions by outcome."""

    questions = serializers.IntegerField()
    answered = serializers.IntegerField()
    refused = serializers.IntegerField()
    failed = serializers.IntegerField()
    stopped = serializers.IntegerField()
    median_ms = serializers.IntegerField(allow_null=True, help_text="From question to whole answer.")
    first_token_ms = serializers.IntegerField(
        allow_null=True, help_text="From the prompt to the language model's first token."
    )
    helpful = serializers.IntegerField(allow_null=True, help_text="Null if too few people gave feedback.")
    unhelpful = serializers.IntegerField(allow_null=True)


class ChatbotUsageSerializer(FiguresSerializer):
    """The figures of one chatbot."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class UsedDocumentSerializer(serializers.Serializer[object]):
    """How many questions found and cited a library document."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    found = serializers.IntegerField()
    cited = serializers.IntegerField()


class AskerSerializer(serializers.Serializer[object]):
    """The number of a member's questions."""

    name = serializers.CharField()
    questions = serializers.IntegerField()


class SchoolFiguresSerializer(FiguresSerializer):
    """The figures of the whole school."""

    chatbots = serializers.IntegerField()
    conversations = serializers.IntegerField()
    documents = UsedDocumentSerializer(many=True, help_text="The most used library documents.")
    people = AskerSerializer(many=True, help_text="Members who asked, most questions first.")
    former = serializers.IntegerField(help_text="Questions of former members.")


class UsageSerializer(serializers.Serializer[object]):
    """Usage figures, without any text of questions."""

    days = serializers.IntegerField()
    chatbots = ChatbotUsageSerializer(many=True, help_text="The user’s chatbots by name.")
    school = SchoolFiguresSerializer(allow_null=True, help_text="For admins; null for other members.")
