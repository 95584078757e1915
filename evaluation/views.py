"""Test questions of a chatbot: the page, running them, and trying a question."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.answering.explanations import (
    SelectionDetails,
    Why,
    build_search_record,
    build_standing_record,
    explain_choice,
    explain_passage,
)
from chatbots.answering.source_selection import select_sources
from chatbots.answering.standalone_search import search_standalone
from chatbots.conversations.asking import MAX_QUESTION, QuestionRefused, clean_question
from chatbots.insights.unanswered import get_chatbot
from chatbots.models import Chatbot, Message, MessageStatus
from corpus.certainty import Level, get_passage_level
from corpus.reading.locations import describe_location
from corpus.search.fusion import SelectedPassage
from engines.errors import EngineError
from evaluation import test_questions
from evaluation.forms import PinForm, list_passage_choices, read_signed_passage, sign_passage
from evaluation.models import EvaluationRun, TestQuestion
from evaluation.test_questions import QuestionResult, compare_results
from schools.access import MemberRequest, member_required
from schools.http import find

_URGENT = {test_questions.WORSE: 0, test_questions.BETTER: 2}


@dataclass(frozen=True)
class QuestionRow:
    """A test question on the page with its results in the last run and the run before."""

    pinned: TestQuestion
    now: QuestionResult | None
    before: QuestionResult | None
    change: str
    obstacle: str

    @property
    def order(self) -> tuple[int, bool]:
        failed = self.now is not None and not self.now.passed
        return (_URGENT.get(self.change, 1 if failed or self.obstacle else 3), not failed)


@dataclass(frozen=True)
class TrialPassage:
    """A passage that was found for a question without a conversation; `key` is for pinning it."""

    number: int
    placed: SelectedPassage
    why: Why | None
    where: str
    key: str

    @property
    def level(self) -> Level:
        return get_passage_level(self.placed.passage)


@never_cache
@require_GET
@member_required
def list_test_questions(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    return _page(request, find(Chatbot.objects.for_member(request.member), pk))


@require_POST
@member_required
def try_search(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Search for a question; nothing is answered or stored."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    question = request.POST.get("question", "")
    try:
        question = clean_question(question)
        sources = select_sources(chatbot)
        searched_for, found = search_standalone(question, sources, language=chatbot.language, places=chatbot.places)
    except (QuestionRefused, EngineError) as reason:
        return _page(request, chatbot, status=422, question=question, question_error=str(reason))
    tried = [_tried(chatbot, number, placed) for number, placed in enumerate(found.placed, start=1)]
    chosen: SelectionDetails | None = explain_choice(build_search_record(found))
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
    """Run them all and show the results."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    try:
        test_questions.run_evaluation(chatbot)
    except EngineError as problem:
        messages.error(request, str(problem))
    return redirect("evaluation:list", pk)


@require_http_methods(["GET", "POST"])
@member_required
def add_test_question(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Add a test question, typed or taken from a tried search with the passage it found."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    passages = read_signed_passage(chatbot, request.POST.get("expected", ""))
    return _form(request, chatbot, PinForm(request.POST or None, chatbot=chatbot, passages=passages))


@require_http_methods(["GET", "POST"])
@member_required
def pin(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Add an answered question as a test question; the expected passage is one of its sources."""
    mine = Message.objects.for_member(request.member).about_all_sources()
    mine = mine.filter(chat__chatbot__owner=request.member.user_id, chat__chatbot__is_tutor=False)
    message = find(mine.filter(status=MessageStatus.DONE).select_related("chat__chatbot"), pk)
    chatbot = get_chatbot(message)
    form = PinForm(
        request.POST or None,
        chatbot=chatbot,
        passages=list_passage_choices(message),
        initial={"question": message.searched_for or message.question},
    )
    return _form(request, chatbot, form, back=message)


@require_http_methods(["GET", "POST"])
@member_required
def edit_test_question(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    pinned = find(TestQuestion.objects.for_member(request.member).select_related("chatbot"), pk)
    form = PinForm(request.POST or None, chatbot=pinned.chatbot, pinned=pinned)
    return _form(request, pinned.chatbot, form)


@require_http_methods(["GET", "POST"])
@member_required
def delete_test_question(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    pinned = find(TestQuestion.objects.for_member(request.member).select_related("chatbot"), pk)
    if request.method == "POST":
        pinned.delete()
        messages.success(request, "The test question is deleted.")
        return redirect("evaluation:list", pinned.chatbot_id)
    return render(request, "evaluation/delete_test_question.html", {"pinned": pinned, "section": "chatbots"})


def _form(request: MemberRequest, chatbot: Chatbot, form: PinForm, back: Message | None = None) -> HttpResponseBase:
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved as a test question. Run the test questions to see its result.")
        return redirect("evaluation:list", chatbot.pk)
    context = {"section": "chatbots", "chatbot": chatbot, "form": form, "message": back}
    return render(request, "evaluation/test_question_form.html", context, status=422 if form.errors else 200)


def _page(request: MemberRequest, chatbot: Chatbot, *, status: int = 200, **context: object) -> HttpResponseBase:
    pinned = list(chatbot.test_questions.all())
    runs = list(EvaluationRun.objects.for_member(request.member).filter(chatbot=chatbot)[: test_questions.MAX_RUNS])
    last, earlier = [*runs, None, None][:2]
    now, before = test_questions.get_results(last, pinned), test_questions.get_results(earlier, pinned)
    obstacles = test_questions.find_obstacles(chatbot, pinned)
    rows = [
        QuestionRow(
            one,
            now.get(one.pk),
            before.get(one.pk),
            compare_results(now[one.pk], before.get(one.pk)) if one.pk in now else test_questions.NEW,
            obstacles.get(one.pk, ""),
        )
        for one in pinned
    ]
    context = {
        "section": "chatbots",
        "chatbot": chatbot,
        "rows": sorted(rows, key=lambda row: row.order),
        "last": last,
        "earlier": earlier,
        "summary": _summary(rows),
        "changed_since": test_questions.list_changes(last.setup, test_questions.describe_setup(chatbot))
        if last
        else [],
        "changed_between": test_questions.list_changes(earlier.setup, last.setup) if last and earlier else [],
        "max_question": MAX_QUESTION,
        **context,
    }
    return render(request, "evaluation/test_questions.html", context, status=status)


def _summary(rows: list[QuestionRow]) -> dict[str, int]:
    return {
        "asked": sum(row.now is not None for row in rows),
        "passed": sum(row.now is not None and row.now.passed for row in rows),
        "worse": sum(row.change == test_questions.WORSE for row in rows),
        "better": sum(row.change == test_questions.BETTER for row in rows),
    }


def _tried(chatbot: Chatbot, number: int, placed: SelectedPassage) -> TrialPassage:
    passage = placed.passage
    why = explain_passage(
        build_standing_record(passage), kind=passage.kind, certainty=passage.certainty, weight=placed.weight
    )
    return TrialPassage(number, placed, why, describe_location(passage), sign_passage(chatbot, passage))
