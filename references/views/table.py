"""Topics as a CSV file."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods

from corpus.web.csv_file import csv_response
from corpus.web.forms import form_data
from references.approved import csv_file
from references.approved.csv_file import ImportResult, NoTable
from references.forms import TableForm
from schools.access import MemberRequest, admin_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import allow_files


@require_GET
@admin_required
def export(request: MemberRequest) -> HttpResponseBase:
    """All topics of the school."""
    school = request.member.school
    record(Action.TOPICS_EXPORTED, school=school)
    return csv_response(
        request, csv_file.export_topics(school), name=f"approved-pages-{slugify(school.name) or 'school'}"
    )


@allow_files
@require_http_methods(["GET", "POST"])
@admin_required
def import_(request: MemberRequest) -> HttpResponseBase:
    """Take the lines that are right, and give the others back to be corrected."""
    form = TableForm(**form_data(request))
    done = ImportResult()
    if form.is_valid():
        try:
            done = csv_file.import_topics(school=request.member.school, table=form.sent())
        except NoTable as reason:
            form.add_error("file" if form.cleaned_data["file"] else "table", str(reason))
        else:
            told = (
                f"{done.topics} topic{pluralize(done.topics)} and {done.pages} page{pluralize(done.pages)} were added."
            )
            messages.success(request, told)
            if not done.wrong:
                return redirect("references:topics")
            form = TableForm(initial={"table": done.remaining()})
    status = 422 if form.errors or done.wrong else 200
    return render(request, "references/import.html", {"form": form, "wrong": done.wrong}, status=status)
