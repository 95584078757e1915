from __future__ import annotations

from typing import Any

from django import forms

from corpus.web.forms import ListForm, UploadForm, choice_of
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


class BrowseForm(ListForm):
    """As of any list, with the grade. Only admins see the state of indexing."""

    field_order = ("words", "subject", "grade", "status", "sort")

    def __init__(self, *args: Any, grades: list[str], is_admin: bool, **kwargs: Any) -> None:
        super().__init__(*args, sort="name", **kwargs)
        self.fields["grade"] = choice_of("All grades", grades)
        self.order_fields(self.field_order)
        if not is_admin:
            del self.fields["status"]
            sort: Any = self.fields["sort"]
            sort.choices = [(key, name) for key, name in sort.choices if key != "status"]
