"""A new study plan, the settings of one, and the edits of its concepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from django import forms

from chatbots.forms import DocumentsField
from chatbots.models import Chatbot, Language
from corpus.web.listing import distinguishing_details
from engines.llm import get_llm
from learning.generating.sections import describe_cost
from learning.material import ValuesRefused
from learning.models import MAX_CONCEPTS, Concept, StudyPlan, TutorStyle
from learning.planning.editing import EditRefused
from learning.planning.material import list_offered_documents, list_offered_kinds
from learning.planning.services import library_subjects
from schools.models import Membership

T = TypeVar("T")

DOCUMENTS = "documents_"
"""What the name of a field of documents begins with; the value of their kind follows."""


class RefusableForm(forms.Form):
    """A form of a service that says why it refuses."""

    def values(self) -> dict[str, Any]:
        return dict(self.cleaned_data)

    def submit(self, service: Callable[..., T]) -> T | None:
        """Return what a service makes of the values; None if form or service refuse them.

        The reasons stand at their fields, those of fields that the form lacks above it, that of an edit at the first.
        """
        try:
            return service(**self.values()) if self.is_valid() else None
        except EditRefused as refused:
            self.add_error(next(iter(self.fields)), str(refused))
        except ValuesRefused as refused:
            for name, words in refused.reasons.items():
                self.add_error(name if name in self.fields else None, words)
        return None


class SettingsForm(RefusableForm):
    title = forms.CharField(
        max_length=160,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the plan a title."},
    )
    kinds = forms.MultipleChoiceField(
        label="Sources beyond the school",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="They are looked up for each concept, in addition to the documents.",
    )
    most_concepts = forms.IntegerField(
        label="Maximum number of concepts",
        initial=30,
        min_value=1,
        max_value=MAX_CONCEPTS,
        help_text=f"Up to {MAX_CONCEPTS}. Twelve suit a lesson or two, thirty a chapter.",
    )
    tutor_style = forms.ChoiceField(
        label="The tutor gives", choices=TutorStyle, initial=TutorStyle.HINTS, widget=forms.RadioSelect
    )
    session_minutes = forms.IntegerField(label="Minutes per practice session", initial=10, min_value=1, max_value=60)
    shows_unreviewed = forms.BooleanField(
        label="Practise with questions that nobody has reviewed",
        required=False,
        initial=True,
        help_text="They are marked as not reviewed. Without them, practice begins when you have approved some.",
    )

    def __init__(self, *args: Any, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        style: Any = self.fields["tutor_style"]
        if not get_llm().generative and self.initial.get("tutor_style") != TutorStyle.STEPS:
            style.choices = [one for one in TutorStyle.choices if one[0] != TutorStyle.STEPS]
        kinds: Any = self.fields["kinds"]
        kinds.choices = [(kind.value, kind.label) for kind in list_offered_kinds(member.school)]
        if not kinds.choices:
            del self.fields["kinds"]

    @classmethod
    def of(cls, plan: StudyPlan, **options: Any) -> SettingsForm:
        names = ("title", "kinds", "most_concepts", "tutor_style", "session_minutes", "shows_unreviewed")
        return cls(initial={name: getattr(plan, name) for name in names}, **options)


class PlanForm(SettingsForm):
    topic = forms.CharField(
        max_length=300,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Such as “Rivers and the shapes they make”. Leave it empty to use all of the documents.",
    )
    subject = forms.ChoiceField(
        label="A whole subject of the library",
        required=False,
        help_text="All documents of the subject that can be read now.",
    )
    chatbot = forms.ModelChoiceField(
        queryset=Chatbot.objects.none(),
        required=False,
        empty_label="No chatbot",
        label="Or the sources of a chatbot",
        help_text="The plan then reads what the chatbot reads, and ignores what else is chosen here.",
    )
    language = forms.ChoiceField(choices=Language, initial=Language.ENGLISH, help_text="The language of the sources.")

    def __init__(self, *args: object, member: Membership, **kwargs: object) -> None:
        super().__init__(*args, member=member, **kwargs)
        self.offered = list_offered_documents(member)
        for kind, documents in self.offered:
            field = DocumentsField(queryset=documents, required=False, widget=forms.CheckboxSelectMultiple)
            field.apart = distinguishing_details(documents)
            self.fields[DOCUMENTS + kind.value] = field
        subject: Any = self.fields["subject"]
        subject.choices = [("", "No subject"), *((name, name) for name in library_subjects(member))]
        self.cost = describe_cost(get_llm(), MAX_CONCEPTS)
        chatbot: Any = self.fields["chatbot"]
        chatbot.queryset = Chatbot.objects.for_member(member)

    def documents(self) -> list[tuple[Any, forms.BoundField]]:
        """(kind, field) of each kind of document."""
        return [(kind, self[DOCUMENTS + kind.value]) for kind, _ in self.offered]

    def values(self) -> dict[str, Any]:
        chosen = {name: value for name, value in self.cleaned_data.items() if not name.startswith(DOCUMENTS)}
        fields = [name for name in self.cleaned_data if name.startswith(DOCUMENTS)]
        return chosen | {"documents": [row.pk for name in fields for row in self.cleaned_data[name]]}


class ConceptForm(RefusableForm):
    name = forms.CharField(max_length=120, error_messages={"required": "Give the concept a name."})
    definition = forms.CharField(
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence. A definition in your own words cites no source.",
    )


class OtherConceptForm(RefusableForm):
    other = forms.ModelChoiceField(
        queryset=Concept.objects.none(),
        label="Concept",
        empty_label="Choose a concept",
        error_messages={"required": "Choose a concept.", "invalid_choice": "This concept is not there any more."},
    )

    def __init__(self, *args: Any, others: Any, role: str, label: str, **kwargs: Any) -> None:
        """`role` is what the service calls the other concept."""
        super().__init__(*args, auto_id=f"{role}_%s", **kwargs)
        self._role, field = role, cast("Any", self.fields["other"])
        field.queryset, field.label = others, label

    def values(self) -> dict[str, Any]:
        return {self._role: self.cleaned_data["other"]}


class SplitForm(RefusableForm):
    name = forms.CharField(
        max_length=120, label="Name of the new concept", error_messages={"required": "Give the concept a name."}
    )
    sources = forms.TypedMultipleChoiceField(
        coerce=int, required=False, label="Its sources", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, concept: Concept, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sources: Any = self.fields["sources"]
        sources.choices = [
            (one.number, f"[{one.number}] {one.document_title}") for one in concept.sources.filter(is_current=True)
        ]
