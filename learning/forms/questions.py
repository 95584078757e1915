"""The teacher's form of a practice question, with the fields of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from learning.forms.plans import RefusableForm
from learning.material import QuestionKind
from learning.models import Question

MAX_OPTIONS = 6

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
