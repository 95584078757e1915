"""The teacher's form of a practice question, with the fields of its kind."""

from __future__ import annotations

from typing import Any

from django import forms

from learning.forms.plans import RefusableForm
from learning.material import QuestionKind
from learning.models import Question

MAX_OPTIONS = 6

_CHOICES = (QuestionKind.SINGLE, QuestionKind.SEVERAL)


def _text(label: str, *, required: bool = True, help_text: str = "", rows: int = 0) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput(attrs={"autocomplete": "off"})
    return forms.CharField(label=label, required=required, help_text=help_text, widget=widget)


class QuestionForm(RefusableForm):
    """Prompt, answer and explanation. [n] in prompt and explanation cites a source of the concept."""

    def __init__(self, *args: Any, question: Question, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.question = question
        self.kind = QuestionKind(question.kind)
        gap = "Four underscores, ____, are the gap. " if self.kind == QuestionKind.CLOZE else ""
        self.fields["prompt"] = _text("Question", rows=3, help_text=f"{gap}[1] cites source 1.")
        self.fields |= self._answer_fields()
        self.fields["explanation"] = _text("Explanation", rows=4, help_text="Learners see it after they have answered.")

    @classmethod
    def of(cls, question: Question, **options: Any) -> QuestionForm:
        initial = {"prompt": question.prompt, "explanation": question.explanation} | _initial(question)
        return cls(question=question, initial=initial, **options)

    def values(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {"prompt": data["prompt"], "explanation": data["explanation"]} | self._answer(data)

    def refuse(self, reasons: Any) -> None:
        """Reasons for options, targets or the answer stand above the form: they have several fields."""
        super().refuse({name if name in self.fields else "": words for name, words in reasons.items()})

    def _answer_fields(self) -> dict[str, forms.Field]:
        count = len(self.question.options)
        match self.kind:
            case QuestionKind.SINGLE | QuestionKind.SEVERAL:
                return self._choice_fields(min(count + 1, MAX_OPTIONS))
            case QuestionKind.CLOZE:
                return {"accepted": _text("Words that fit the gap", help_text="Separated by semicolons.")}
            case QuestionKind.TRUTH:
                choices = [("true", "True"), ("false", "False")]
                value = forms.ChoiceField(label="It is", choices=choices, widget=forms.RadioSelect)
                return {"value": value, "reason": _text("The true sentence", rows=2)}
            case QuestionKind.NUMBER:
                return {
                    "value": forms.FloatField(label="Right number"),
                    "unit": _text("Unit", required=False),
                    "tolerance": forms.FloatField(label="Tolerance in percent", min_value=0, max_value=20),
                }
            case QuestionKind.ORDER:
                return {f"option_{place}": _text(f"Step {place + 1}") for place in range(count)}
            case QuestionKind.MATCH:
                fields: dict[str, forms.Field] = {}
                for index in range(count):
                    fields[f"option_{index}"] = _text(f"Left side of pair {index + 1}")
                    fields[f"target_{index}"] = _text(f"Right side of pair {index + 1}")
                return fields
            case _:
                return {"reference": _text("Model answer", rows=2)}

    def _choice_fields(self, count: int) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {
            f"option_{index}": _text(f"Option {index + 1}", required=False) for index in range(count)
        }
        choices = [(str(index), f"Option {index + 1}") for index in range(count)]
        if self.kind == QuestionKind.SINGLE:
            fields["correct"] = forms.ChoiceField(label="Right option", choices=choices, widget=forms.RadioSelect)
        else:
            fields["correct"] = forms.MultipleChoiceField(
                label="Right options", choices=choices, widget=forms.CheckboxSelectMultiple
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


def _initial(question: Question) -> dict[str, Any]:
    answer = question.answer
    options = {f"option_{index}": text for index, text in enumerate(question.options)}
    match QuestionKind(question.kind):
        case QuestionKind.SINGLE:
            return options | {"correct": str(answer["correct"])}
        case QuestionKind.SEVERAL:
            return options | {"correct": [str(index) for index in answer["correct"]]}
        case QuestionKind.CLOZE:
            return {"accepted": "; ".join(answer["accepted"])}
        case QuestionKind.TRUTH:
            return {"value": "true" if answer["value"] else "false", "reason": answer["reason"]}
        case QuestionKind.NUMBER:
            tolerance = round(100 * answer.get("tolerance", 0), 6)
            return {"value": answer["value"], "unit": answer.get("unit", ""), "tolerance": tolerance}
        case QuestionKind.ORDER:
            return {f"option_{place}": question.options[index] for place, index in enumerate(answer["order"])}
        case QuestionKind.MATCH:
            pairs = enumerate(answer["pairs"])
            return options | {f"target_{index}": question.targets[target] for index, target in pairs}
        case _:
            return {"reference": answer["reference"]}
