from __future__ import annotations

from typing import Any

from django import forms

from corpus.web.forms import UploadForm
from school_library.models import SchoolDocument

_TAGS = ("description", "subject", "grade")
_HELP = {
    "description": "What it is and when to use it; teachers find it by these words.",
    "subject": "Such as Chemistry. Leave it empty for what concerns everybody.",
    "grade": "Such as Year 9 or Years 7 to 9.",
}
_WIDGETS: dict[str, type[forms.Widget] | forms.Widget] = {
    "description": forms.Textarea(attrs={"rows": 3}),
    "subject": forms.TextInput(attrs={"list": "subjects"}),
    "grade": forms.TextInput(attrs={"list": "grades"}),
}


class DocumentForm(forms.ModelForm[SchoolDocument]):
    """Title, description and tags of a library document. Indexing may change the title while the form is open."""

    class Meta:
        model = SchoolDocument
        fields = ["title", *_TAGS]
        help_texts = _HELP
        widgets = _WIDGETS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].show_hidden_initial = True

    def changes(self) -> dict[str, Any]:
        """What `services.describe` takes. The title is None unless the person has changed it."""
        return self.cleaned_data | ({} if "title" in self.changed_data else {"title": None})


class LibraryUploadForm(UploadForm):
    """Files with a description and tags for all of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= forms.fields_for_model(SchoolDocument, _TAGS, widgets=_WIDGETS, help_texts=_HELP)

    def tags(self) -> dict[str, Any]:
        """Description, subject and grade."""
        return {name: self.cleaned_data[name] for name in _TAGS}


class BrowseForm(forms.Form):
    """Search words and filters. Unknown subjects and grades find nothing."""

    words = forms.CharField(
        label="Search",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Title, description or words in the text"}),
    )
    subject = forms.ChoiceField(required=False)
    grade = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, subjects: list[str], grades: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, values, everything in (
            ("subject", subjects, "All subjects"),
            ("grade", grades, "All grades"),
        ):
            self.fields[name] = forms.ChoiceField(
                required=False, choices=[("", everything), *((value, value) for value in values)]
            )

    def filters(self) -> dict[str, str]:
        """The search words and filters, "" for invalid ones."""
        self.is_valid()
        return {name: self.cleaned_data.get(name, "") for name in ("words", "subject", "grade")}
