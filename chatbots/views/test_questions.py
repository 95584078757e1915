"""Test questions of a chatbot: the page, running them, trying a question or other weights, CSV export and import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.answering.explanations import Chosen, Why, explain, how_chosen, record_of, standing_of
from chatbots.answering.source_selection import sources_for
from chatbots.answering.standalone_search import standalone_search
from chatbots.conversations.asking import MAX_QUESTION, QuestionRefused, clean_question
from chatbots.evaluation import steps, test_questions
from chatbots.evaluation.forms import ImportForm, PinForm, TrialForm, exported, passage_at, passages_of, signed
from chatbots.evaluation.test_questions import QuestionResult, compared
from chatbots.insights.plots import plot_runs
from chatbots.insights.unanswered import chatbot_of
from chatbots.models import Chatbot, EvaluationRun, Message, MessageStatus, StartedRun, TestQuestion
from corpus.certainty import Level, level_of_passage
from corpus.reading.locations import location_of
from corpus.search.fusion import SelectedPassage
from corpus.web.csv_file import csv_response
from engines.errors import EngineError
from schools.access import MemberRequest, member_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import find, takes_files

_URGENT = {test_questions.WORSE: 0, test_questions.BETTER: 2}


@dataclass(frozen=True)
class QuestionRow:
    """A test question on the page with its results in the last run, the run before, and with other weights."""

    pinned: TestQuestion
    now: QuestionResult | None
    before: QuestionResult | None
    trial: QuestionResult | None
    change: str
    obstacle: str

    @property
    def order(self) -> tuple[int, bool]:
        failed = self.now is not None and not self.now.passed
        return (_URGENT.get(self.change, 1 if failed or self.obstacle else 3), not failed)


@dataclass(frozen=True)
class Tried:
    """A passage that was found for a question without a conversation; `key` is for pinning it."""

    number: int
    placed: SelectedPassage
    why: Why | None
    where: str
    key: str

    @property
    def level(self) -> Level:
        return level_of_passage(self.placed.passage)


@never_cache
@require_GET
@member_required
def index(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    return _page(request, find(Chatbot.objects.for_member(request.member), pk))


@require_POST
@member_required
def try_search(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Search for a question; nothing is answered or stored."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    question = request.POST.get("question", "")
    try:
        question = clean_question(question)
        sources = sources_for(chatbot)
        searched_for, found = standalone_search(question, sources, language=chatbot.language, places=chatbot.places)
    except (QuestionRefused, EngineError) as reason:
        return _page(request, chatbot, status=422, question=question, question_error=str(reason))
    tried = [_tried(chatbot, number, placed) for number, placed in enumerate(found.placed, start=1)]
    chosen: Chosen | None = how_chosen(record_of(found))
    return _page(
        request,
        chatbot,
        has_tried=True,
        question=question,
        searched_for=searched_for,
        tried=tried,
        chosen=chosen,
        unavailable=found.unavailable,
    )


@require_POST
@member_required
def run_test_questions(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Run them all and show the results; for the script in steps, each answered with how far the run is."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    if request.headers.get("HX-Request"):
        return _step(request, chatbot)
    try:
        test_questions.run_evaluation(chatbot)
    except EngineError as problem:
        messages.error(request, str(problem))
    return redirect("chatbots:checks", pk)


def _step(request: MemberRequest, chatbot: Chatbot) -> HttpResponse:
    context: dict[str, Any] = {"chatbot": chatbot, "is_running": True}
    try:
        context["started"] = steps.continue_run(chatbot) if "step" in request.POST else steps.start_run(chatbot)
    except EngineError as problem:
        context["problem"] = str(problem)
    response = render(request, "chatbots/_started_run.html", context)
    if not context.get("started") and "problem" not in context:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@member_required
def compare(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The results with other shares beside those of the last run; nothing is stored."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    form = TrialForm(request.POST, chatbot=chatbot)
    if not form.is_valid():
        return _page(request, chatbot, status=422, trial_form=form)
    other = find(Chatbot.objects.for_member(request.member), pk)
    other.places = form.cleaned_data["places"]
    try:
        last = EvaluationRun.objects.for_member(request.member).filter(chatbot=chatbot).first()
        if last is None or last.setup != test_questions.setup_of(chatbot):
            test_questions.run_evaluation(chatbot)
        trial = test_questions.outcomes(other, form.sources)
    except EngineError as problem:
        form.add_error(None, str(problem))
        return _page(request, chatbot, status=422, trial_form=form)
    return _page(request, chatbot, trial=trial, trial_form=form, trial_name=form.summary())


@require_http_methods(["GET", "POST"])
@member_required
def add(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Add a test question, typed or taken from a tried search with the passage it found."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    passages = passage_at(chatbot, request.POST.get("expected", ""))
    return _form(request, chatbot, PinForm(request.POST or None, chatbot=chatbot, passages=passages))


@require_http_methods(["GET", "POST"])
@member_required
def pin(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Add an answered question as a test question; the expected passage is one of its sources."""
    mine = Message.objects.for_member(request.member).about_all_sources()
    mine = mine.filter(chat__chatbot__owner=request.member.user_id, chat__chatbot__is_tutor=False)
    message = find(mine.filter(status=MessageStatus.DONE).select_related("chat__chatbot"), pk)
    chatbot = chatbot_of(message)
    form = PinForm(
        request.POST or None,
        chatbot=chatbot,
        passages=passages_of(message),
        initial={"question": message.searched_for or message.question},
    )
    return _form(request, chatbot, form, back=message)


@require_http_methods(["GET", "POST"])
@member_required
def edit(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    pinned = find(TestQuestion.objects.for_member(request.member).select_related("chatbot"), pk)
    form = PinForm(request.POST or None, chatbot=pinned.chatbot, pinned=pinned)
    return _form(request, pinned.chatbot, form)


@require_http_methods(["GET", "POST"])
@member_required
def delete(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    pinned = find(TestQuestion.objects.for_member(request.member).select_related("chatbot"), pk)
    if request.method == "POST":
        pinned.delete()
        messages.success(request, "The test question is deleted.")
        return redirect("chatbots:checks", pinned.chatbot_id)
    return render(request, "chatbots/delete_test_question.html", {"pinned": pinned})


@require_GET
@member_required
def export(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    name = f"test-questions-{slugify(chatbot.name) or 'chatbot'}"
    record(Action.TEST_QUESTIONS_EXPORTED, school=chatbot.school_id, subject=chatbot, label=chatbot.public_name)
    return csv_response(request, exported(chatbot.test_questions.all()), name=name)


@takes_files
@require_POST
@member_required
def import_(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    form = ImportForm(request.POST, request.FILES, chatbot=chatbot)
    if not form.is_valid():
        return _page(request, chatbot, status=422, import_form=form)
    taken, wrong = form.save()
    messages.success(request, f"{taken} new test question{'' if taken == 1 else 's'}.")
    if wrong:
        more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        messages.warning(request, f"Left out: {'; '.join(wrong[:5])}{more}.")
    return redirect("chatbots:checks", pk)


def _form(request: MemberRequest, chatbot: Chatbot, form: PinForm, back: Message | None = None) -> HttpResponseBase:
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved as a test question. Run the test questions to see its result.")
        return redirect("chatbots:checks", chatbot.pk)
    context = {"chatbot": chatbot, "form": form, "message": back}
    return render(request, "chatbots/test_question_form.html", context, status=422 if form.errors else 200)


def _page(
    request: MemberRequest,
    chatbot: Chatbot,
    *,
    status: int = 200,
    trial: dict[str, QuestionResult] | None = None,
    **context: Any,
) -> HttpResponseBase:
    pinned = list(chatbot.test_questions.all())
    runs = list(EvaluationRun.objects.for_member(request.member).filter(chatbot=chatbot)[: test_questions.KEPT])
    last, earlier = [*runs[:2], None, None][:2]
    now, before = test_questions.outcomes_of(last, pinned), test_questions.outcomes_of(earlier, pinned)
    obstacles = test_questions.obstacles(chatbot, pinned, member=request.member)
    rows = [
        QuestionRow(
            one,
            now.get(one.pk),
            before.get(one.pk),
            (trial or {}).get(str(one.pk)),
            compared(now[one.pk], before.get(one.pk)) if one.pk in now else test_questions.NEW,
            obstacles.get(one.pk, ""),
        )
        for one in pinned
    ]
    context = {
        "chatbot": chatbot,
        "rows": sorted(rows, key=lambda row: row.order),
        "last": last,
        "earlier": earlier,
        "summary": _summary(rows),
        "runs": plot_runs(runs),
        "started": StartedRun.objects.for_member(request.member).filter(chatbot=chatbot).first(),
        "changed_since": test_questions.changes(last.setup, test_questions.setup_of(chatbot)) if last else [],
        "changed_between": test_questions.changes(earlier.setup, last.setup) if last and earlier else [],
        "trial": trial is not None,
        "trial_form": TrialForm(chatbot=chatbot),
        "import_form": ImportForm(chatbot=chatbot),
        "max_question": MAX_QUESTION,
        "most": test_questions.MOST,
        **context,
    }
    return render(request, "chatbots/test_questions.html", context, status=status)


def _summary(rows: list[QuestionRow]) -> dict[str, int]:
    return {
        "asked": sum(row.now is not None for row in rows),
        "passed": sum(row.now is not None and row.now.passed for row in rows),
        "worse": sum(row.change == test_questions.WORSE for row in rows),
        "better": sum(row.change == test_questions.BETTER for row in rows),
        "trial_passed": sum(row.trial is not None and row.trial.passed for row in rows),
    }


def _tried(chatbot: Chatbot, number: int, placed: SelectedPassage) -> Tried:
    passage = placed.passage
    why = explain(standing_of(passage), kind=passage.kind, certainty=passage.certainty, weight=placed.weight)
    return Tried(number, placed, why, location_of(passage), signed(chatbot, passage))
