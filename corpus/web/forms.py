"""Forms for documents and their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from corpus.ingestion.readers.sniffing import is_markdown
from corpus.ingestion.textbook_bundle import archive_name, bundle_textbook
from corpus.ingestion.uploads import clean_filename
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from corpus.web.browse import SORTS, STATES

ACCEPT = (
    ".pdf,.docx,.doc,.pptx,.ppt,.xlsx,.xls,.odt,.ods,.odp,.rtf,.csv,.tsv,.html,.htm,.epub,.md,.markdown,.mdx,.zip,.txt,"
    ".vtt,.srt,.eml,.ipynb,.png,.jpg,.jpeg,.tif,.tiff,.webp"
)
"""A hint for the browser's file picker. The content of a file decides its format."""

MAX_PASTED = 200_000
"""Characters of a text that is pasted."""

_TAG_HELP = {
    "description": "What it is and when to use it; teachers find it by these words.",
    "subject": "Such as Chemistry. The list can be filtered and sorted by it.",
    "grade": "Such as Year 9 or Years 7 to 9.",
}


def form_data(request: HttpRequest) -> dict[str, Any]:
    """The arguments that bind a form: data and files of a POST, nothing for a GET."""
    return {"data": request.POST, "files": request.FILES} if request.method == "POST" else {}


def form_status(form: forms.BaseForm) -> int:
    """The status of the page with the form: 422 if it has errors."""
    return 422 if form.errors else 200


class _SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One or several files, cleaned to a list. Empty files pass, so that the upload can refuse them one by one."""

    def __init__(self, **options: Any) -> None:
        widget = _SeveralFiles(attrs={"accept": ACCEPT, "data-most": settings.LECTERN_MAX_FILES_PER_UPLOAD})
        super().__init__(widget=widget, allow_empty_file=True, max_length=None, **options)

    def clean(self, data: object, initial: object = None) -> Any:
        files = list(data) if isinstance(data, list | tuple) else [data]
        most = settings.LECTERN_MAX_FILES_PER_UPLOAD
        if len(files) > most:
            raise forms.ValidationError(f"These are {len(files)} files; at most {most} can be sent at once.")
        return [super(FilesField, self).clean(file, initial) for file in files or [None]]


class UploadForm(forms.Form):
    """Files, and the title of a textbook to bundle them. `files` is added later: Django uses that class attribute."""

    textbook = forms.CharField(
        label="Title of the textbook",
        required=False,
        max_length=120,
        help_text="Several Markdown files become one document with this title, in the order of their names.",
    )

    def __init__(self, *args: Any, described: type[Document] | None = None, **kwargs: Any) -> None:
        """With `described` the form also has the tags of these documents, for all files together."""
        super().__init__(*args, **kwargs)
        self._tags = tag_fields(described) if described else {}
        self.fields |= self._tags
        self.fields["files"] = FilesField(label="Files", error_messages={"required": "Choose at least one file first."})

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        title, files = cleaned.get("textbook"), cleaned.get("files")
        if title and files:
            try:
                cleaned["files"] = [_as_textbook(title, files)]
            except forms.ValidationError as reason:
                self.add_error("textbook", reason)
        return cleaned

    def tags(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self._tags}

    @property
    def limits(self) -> dict[str, int]:
        """The limits that the page shows."""
        return {"megabytes": settings.LECTERN_MAX_UPLOAD_MB, "files": settings.LECTERN_MAX_FILES_PER_UPLOAD}


def _as_textbook(title: str, files: Sequence[UploadedFile]) -> UploadedFile:
    """The files bundled as one, named after the title. Raises ValidationError if they cannot be."""
    names = [clean_filename(file.name) for file in files]
    if len(files) == 1 and names[0].lower().endswith(".zip"):
        files[0].name = archive_name(title)
        return files[0]
    for name in names:
        if not is_markdown(name):
            raise forms.ValidationError(
                f"“{name}” is not Markdown: only Markdown files make up a textbook. Choose the others alone, or leave "
                "the title empty."
            )
        if names.count(name) > 1:
            raise forms.ValidationError(
                f"Two files are called “{name}”. Put their folders into a ZIP file and upload that."
            )
    limit = settings.LECTERN_MAX_UPLOAD_MB
    if sum(file.size or 0 for file in files) > limit * 1024 * 1024:
        raise forms.ValidationError(
            f"Together these files have more than {limit} MB, which is the most for one document."
        )
    return bundle_textbook({name: file.read() for name, file in zip(names, files, strict=True)}, title)


class PasteForm(forms.Form):
    """Text that becomes a document, and its title. Without one the text gives it."""

    title = forms.CharField(
        max_length=120, required=False, help_text="You can leave it empty: its heading or first words become the title."
    )
    text = forms.CharField(
        max_length=MAX_PASTED,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text="Plain text or Markdown.",
        error_messages={
            "required": "Paste some text first.",
            "max_length": f"This is too long to be pasted: at most {MAX_PASTED:,} characters. Upload it as a file.",
        },
    )


class ReplaceForm(forms.Form):
    """A new version of a file."""

    file = forms.FileField(
        label="The new file",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ACCEPT}),
        error_messages={"required": "Choose a file first."},
    )

    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    """The number of the last version when the form was shown. Somebody may have replaced it meanwhile."""


class MergeForm(forms.Form):
    """The document to merge into."""

    into = forms.UUIDField(widget=forms.HiddenInput)


class CopyForm(forms.Form):
    """The confirmation of a copy."""

    key = forms.UUIDField(required=False, widget=forms.HiddenInput)
    """The id of the new document, so that a form sent twice makes only one."""


class ListForm(forms.Form):
    """Search words, filters and order of a list of documents. Unknown subjects find nothing."""

    words = forms.CharField(
        label="Search",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "Title, file name or words in the text"}),
    )
    status = forms.ChoiceField(required=False, choices=[("", "Any"), *STATES.items()])

    field_order = ("words", "subject", "grade", "status", "sort")

    def __init__(
        self, *args: Any, documents: DocumentQuerySet[Any], sort: str, may_change: bool = True, **kwargs: Any
    ) -> None:
        """The tags of these `documents` are offered, and their states only to whoever may change them.

        `sort` is the order unless another one is chosen.
        """
        kwargs.setdefault("auto_id", "wanted_%s")  # a dialog over the list has a subject, too
        super().__init__(*args, **kwargs)
        self._sort = sort
        for tag in {"subject", "grade"} & {*documents.model.TAGS}:
            values = [(value, value) for value in documents.list_values(tag)]
            self.fields[tag] = forms.ChoiceField(required=False, choices=[("", f"All {tag}s"), *values])
        others = [(key, name) for key, name in SORTS.items() if key != sort and (may_change or key != "status")]
        self.fields["sort"] = forms.ChoiceField(label="Sort by", required=False, choices=[("", SORTS[sort]), *others])
        if not may_change:
            del self.fields["status"]
        self.order_fields(self.field_order)

    def filters(self) -> dict[str, str]:
        """What `browse_documents` takes: "" for what is invalid or not asked for, and always an order."""
        self.is_valid()
        found = {name: self.cleaned_data.get(name, "") for name in self.fields}
        return found | {"sort": found["sort"] or self._sort}

    @property
    def is_filtered(self) -> bool:
        """Whether documents may be left out."""
        return any(value for name, value in self.filters().items() if name != "sort")


class SubjectForm(forms.Form):
    """The subject of some documents; an empty one takes it away."""

    subject = forms.CharField(
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"list": "subjects"}),
        error_messages={"max_length": "At most 60 characters."},
        help_text="Such as Chemistry. The list can be filtered and sorted by it. Empty: without a subject.",
    )


class DocumentForm(forms.Form):
    """The title and tags of a document. Indexing may change the title while the form is open."""

    title = forms.CharField(
        max_length=200,
        show_hidden_initial=True,
        error_messages={"required": "A document needs a title.", "max_length": "At most 200 characters."},
    )

    def __init__(self, *args: Any, document: Document, **kwargs: Any) -> None:
        kwargs["initial"] = {name: getattr(document, name) for name in ("title", *document.TAGS)}
        super().__init__(*args, **kwargs)
        self.fields |= tag_fields(type(document))

    def changes(self) -> dict[str, Any]:
        """What `uploads.describe` takes. The title is None unless the person has changed it."""
        return self.cleaned_data | ({} if "title" in self.changed_data else {"title": None})


def tag_fields(model: type[Document]) -> dict[str, forms.Field]:
    widgets: dict[str, type[forms.Widget] | forms.Widget] = {
        "description": forms.Textarea(attrs={"rows": 3}),
        "subject": forms.TextInput(attrs={"list": "subjects"}),
        "grade": forms.TextInput(attrs={"list": "grades"}),
    }
    return forms.fields_for_model(model, model.TAGS, widgets=widgets, help_texts=_TAG_HELP)
