"""A new study plan, the settings of one, the edits of its concepts, and a question with the fields of its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from django import forms

from chatbots.forms import DocumentsField
from chatbots.models import Chatbot, Language
from corpus.web.listing import distinguishing_details
from engines.llm import get_llm
from learning.generating.requests import describe_cost
from learning.material import MAX_DEFINITION_LENGTH, MAX_NAME_LENGTH, QuestionKind, ValuesRefused
from learning.models import MAX_CONCEPTS, Concept, Question, StudyPlan, TutorStyle
from learning.planning.editing import EditRefused
from learning.planning.plan_sources import list_offered_documents, list_offered_kinds
from learning.planning.services import library_subjects
from learning.questions.faults import MAX_OPTIONS
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


def of_plan(name: str, **options: Any) -> Any:
    """Return the field of a form for a field of a plan, with its limits."""
    return StudyPlan._meta.get_field(name).formfield(**options)  # type: ignore[union-attr]


class SettingsForm(RefusableForm):
    title = of_plan(
        "title",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the plan a title."},
    )
    kinds = forms.MultipleChoiceField(
        label="Sources beyond the school",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="They are looked up for each concept, in addition to the documents.",
    )
    most_concepts = of_plan(
        "most_concepts",
        label="Maximum number of concepts",
        min_value=1,
        max_value=MAX_CONCEPTS,
        help_text=f"Up to {MAX_CONCEPTS}. Twelve suit a lesson or two, thirty a chapter.",
    )
    tutor_style = forms.ChoiceField(
        label="The tutor gives", choices=TutorStyle, initial=TutorStyle.HINTS, widget=forms.RadioSelect
    )
    session_minutes = of_plan("session_minutes", label="Minutes per practice session", min_value=1, max_value=60)
    shows_unreviewed = forms.BooleanField(
        label="Pupils practise with questions that nobody has reviewed",
        required=False,
        help_text="Else a class is offered the plan once you have approved eight. You practise with all of them.",
    )

    def __init__(self, *args: Any, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        style: Any = self.fields["tutor_style"]
        is_generative = get_llm().generative
        self.fields["shows_unreviewed"].initial = is_generative
        if not is_generative and self.initial.get("tutor_style") != TutorStyle.STEPS:
            style.choices = [one for one in TutorStyle.choices if one[0] != TutorStyle.STEPS]
        kinds: Any = self.fields["kinds"]
        kinds.choices = [(kind.value, kind.label) for kind in list_offered_kinds(member.school)]
        if not kinds.choices:
            del self.fields["kinds"]

    @classmethod
    def of(cls, plan: StudyPlan, **options: Any) -> SettingsForm:
        return cls(initial={name: getattr(plan, name) for name in cls.base_fields}, **options)


class PlanForm(SettingsForm):
    topic = of_plan(
        "topic",
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
    name = forms.CharField(max_length=MAX_NAME_LENGTH, error_messages={"required": "Give the concept a name."})
    definition = forms.CharField(
        max_length=MAX_DEFINITION_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence. A definition in your own words cites no source.",
    )


class OtherConceptForm(RefusableForm):
    other = forms.ModelChoiceField(
        queryset=Concept.objects.none(),
        label="Concept",
        empty_label="Choose a concept",
        error_messages={"required": "Choose a concept.", "invalid_choice": "This concept cannot be chosen any more."},
    )

    def __init__(self, *args: Any, others: Any, role: str, label: str, **kwargs: Any) -> None:
        """`role` is what the service calls the other concept."""
        kwargs["auto_id"] = f"{role}_%s"
        super().__init__(*args, **kwargs)
        self._role, field = role, cast("Any", self.fields["other"])
        field.queryset, field.label = others, label

    def values(self) -> dict[str, Any]:
        return {self._role: self.cleaned_data["other"]}


class SplitForm(RefusableForm):
    name = forms.CharField(
        max_length=MAX_NAME_LENGTH,
        label="Name of the new concept",
        error_messages={"required": "Give the concept a name."},
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


_CHOICES = (QuestionKind.SINGLE, QuestionKind.SEVERAL)


def _text(label: str, initial: str, *, required: bool = True, help_text: str = "", rows: int = 0) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput(attrs={"autocomplete": "off"})
    return forms.CharField(label=label, initial=initial, required=required, help_text=help_text, widget=widget)


class QuestionForm(RefusableForm):
    """Prompt, answer and explanation. [n] in prompt and explanation cites a source of the concept."""

    def __init__(self, *args: Any, question: Question, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.question, self.kind = question, QuestionKind(question.kind)
        gap = "Four underscores, ____, are the gap. " if self.kind == QuestionKind.CLOZE else ""
        self.fields["prompt"] = _text("Question", question.prompt, rows=3, help_text=f"{gap}[1] cites source 1.")
        self.fields |= self._answer_fields(question.options, question.answer)
        after = "Learners see it after they have answered."
        self.fields["explanation"] = _text("Explanation", question.explanation, rows=4, help_text=after)

    def values(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {"prompt": data["prompt"], "explanation": data["explanation"]} | self._answer(data)

    def _answer_fields(self, options: Sequence[str], answer: dict[str, Any]) -> dict[str, forms.Field]:
        match self.kind:
            case QuestionKind.SINGLE | QuestionKind.SEVERAL:
                return self._choice_fields(options, answer["correct"])
            case QuestionKind.CLOZE:
                accepted = "; ".join(answer["accepted"])
                return {"accepted": _text("Words that fit the gap", accepted, help_text="Separated by semicolons.")}
            case QuestionKind.TRUTH:
                choices, initial = [("true", "True"), ("false", "False")], str(answer["value"]).lower()
                value = forms.ChoiceField(label="It is", initial=initial, choices=choices, widget=forms.RadioSelect)
                return {"value": value, "reason": _text("The true sentence", answer["reason"], rows=2)}
            case QuestionKind.NUMBER:
                share = round(100 * answer.get("tolerance", 0), 6)
                return {
                    "value": forms.FloatField(label="Right number", initial=answer["value"]),
                    "unit": _text("Unit", answer.get("unit", ""), required=False),
                    "tolerance": forms.FloatField(
                        label="Tolerance in percent", initial=share, min_value=0, max_value=20
                    ),
                }
            case QuestionKind.ORDER:
                steps = enumerate(answer["order"])
                return {f"option_{place}": _text(f"Step {place + 1}", options[index]) for place, index in steps}
            case QuestionKind.MATCH:
                fields: dict[str, forms.Field] = {}
                for index, target in enumerate(answer["pairs"]):
                    fields[f"option_{index}"] = _text(f"Left side of pair {index + 1}", options[index])
                    right = self.question.targets[target]
                    fields[f"target_{index}"] = _text(f"Right side of pair {index + 1}", right)
                return fields
            case _:
                return {"reference": _text("Model answer", answer["reference"], rows=2)}

    def _choice_fields(self, options: Sequence[str], correct: Any) -> dict[str, forms.Field]:
        texts = [*options, ""][:MAX_OPTIONS]
        fields: dict[str, forms.Field] = {
            f"option_{index}": _text(f"Option {index + 1}", text, required=False) for index, text in enumerate(texts)
        }
        choices = [(str(index), f"Option {index + 1}") for index in range(len(texts))]
        if self.kind == QuestionKind.SINGLE:
            fields["correct"] = forms.ChoiceField(
                label="Right option", initial=str(correct), choices=choices, widget=forms.RadioSelect
            )
        else:
            right, widget = [str(index) for index in correct], forms.CheckboxSelectMultiple
            fields["correct"] = forms.MultipleChoiceField(
                label="Right options", initial=right, choices=choices, widget=widget
            )
        return fields

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.kind in _CHOICES and "correct" in cleaned:
            chosen = cleaned["correct"] if isinstance(cleaned["correct"], list) else [cleaned["correct"]]
            if any(not cleaned.get(f"option_{index}") for index in chosen):
                self.add_error("correct", "The right option is empty.")
        return cleaned

    def _answer(self, data: dict[str, Any]) -> dict[str, Any]:
        saved = self.question
        options, targets = list(saved.options), list(saved.targets)
        match self.kind:
            case QuestionKind.SINGLE | QuestionKind.SEVERAL:
                return self._chosen(data)
            case QuestionKind.CLOZE:
                answer: dict[str, Any] = {
                    "accepted": [one.strip() for one in data["accepted"].split(";") if one.strip()]
                }
            case QuestionKind.TRUTH:
                answer = {"value": data["value"] == "true", "reason": data["reason"]}
            case QuestionKind.NUMBER:
                answer = {"value": data["value"], "unit": data["unit"], "tolerance": data["tolerance"] / 100}
            case QuestionKind.ORDER:
                answer = saved.answer
                for place, index in enumerate(answer["order"]):
                    options[index] = data[f"option_{place}"]
            case QuestionKind.MATCH:
                answer = saved.answer
                for index, target in enumerate(answer["pairs"]):
                    options[index], targets[target] = data[f"option_{index}"], data[f"target_{index}"]
            case _:
                answer = {"reference": data["reference"]}
        return {"options": options, "targets": targets, "answer": answer}

    def _chosen(self, data: dict[str, Any]) -> dict[str, object]:
        """The options that are not empty, and the new places of the right ones."""
        texts = {name.removeprefix("option_"): data[name] for name in self.fields if name.startswith("option_")}
        filled = [index for index, text in texts.items() if text]
        if self.kind == QuestionKind.SINGLE:
            correct: Any = filled.index(data["correct"])
        else:
            correct = [filled.index(index) for index in data["correct"]]
        options = [texts[index] for index in filled]
        return {"options": options, "targets": list(self.question.targets), "answer": {"correct": correct}}
