"""Answer a practice question: read what was given, the attempt, and what it says of the learner's progress."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from chatbots.models import Participant
from engines.llm import LLM, get_llm
from learning.grading import grade
from learning.grading.quantities import parse_quantity
from learning.material import CONTROL, Grade, QuestionKind, Verdict
from learning.models import Attempt, Concept, ConceptProgress, PracticeSession, Question
from learning.models.progress import RATINGS
from learning.practice.spaced_repetition import new_card, review
from learning.reading.statements import plain
from plugins import call_hooks
from text.names import make_name_key

MAX_ANSWER_LENGTH = 2000
"""Characters of a written answer."""

_TRUTHS = {"true": True, "false": False}


class AnswerRefused(Exception):
    """An answer that cannot be graded; the message says why."""


def read_given(question: Question, data: MultiValueDict[str, str]) -> object:
    """What was answered in a form, as `clean_given` takes it.

    In the form, steps have places from 1; an answer has the steps by place. It is empty unless every place is taken.
    """
    several = data.getlist("given")
    if question.kind == QuestionKind.ORDER:
        return [str(index) for index in _by_place(several, len(question.options))]
    if question.kind in (QuestionKind.SEVERAL, QuestionKind.MATCH):
        return several
    return several[-1] if several else ""


def build_fields(question: Question, data: MultiValueDict[str, str]) -> dict[str, object]:
    """What the fields of an answer show: the options, and what was chosen or typed before it was refused."""
    typed = data.getlist("given")
    chosen = [str(str(index) in typed) for index in range(len(question.options))]
    if question.kind in (QuestionKind.ORDER, QuestionKind.MATCH):
        chosen = [*typed, *[""] * len(question.options)]
    rows = [{"index": index, "text": text, "chosen": chosen[index]} for index, text in enumerate(question.options)]
    places = range(1, len(rows) + 1)
    return {"question": question, "options": rows, "places": places, "typed": typed[0] if typed else ""}


def clean_given(question: Question, raw: object) -> object:
    """Return an answer as `Attempt.given` stores it. Raises AnswerRefused.

    - single: index of an option · several: sorted indexes · truth: bool
    - cloze, short, number: the text as typed; a number keeps its unit
    - order: all indexes of the options in the order chosen · match: index of a target for each option

    Indexes may be strings of digits, as forms send them, a truth value "true" or "false".
    """
    match QuestionKind(question.kind):
        case QuestionKind.SINGLE:
            return _index(raw, len(question.options), "Choose one of the options.")
        case QuestionKind.SEVERAL:
            return sorted(set(_indexes(raw, len(question.options), "Choose at least one of the options.")))
        case QuestionKind.TRUTH:
            value = _TRUTHS.get(raw.strip().lower()) if isinstance(raw, str) else raw
            if not isinstance(value, bool):
                raise AnswerRefused("Choose true or false.")
            return value
        case QuestionKind.ORDER:
            words = "Put all of the steps in order, each of them once."
            order = _indexes(raw, len(question.options), words)
            if sorted(order) != list(range(len(question.options))):
                raise AnswerRefused(words)
            return order
        case QuestionKind.MATCH:
            words = "Choose a partner for each of them."
            pairs = _indexes(raw, len(question.targets), words)
            if len(pairs) != len(question.options):
                raise AnswerRefused(words)
            return pairs
        case QuestionKind.NUMBER:
            return _number(raw)
        case QuestionKind.CLOZE | QuestionKind.SHORT:
            return _text(raw)


def _index(raw: object, among: int, refusal: str) -> int:
    index = int(raw) if isinstance(raw, str) and raw.strip().isdecimal() and len(raw) < 9 else raw
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < among:
        return index
    raise AnswerRefused(refusal)


def _indexes(raw: object, among: int, refusal: str) -> list[int]:
    if isinstance(raw, Sequence) and not isinstance(raw, str) and raw:
        return [_index(one, among, refusal) for one in raw]
    raise AnswerRefused(refusal)


def _number(raw: object) -> str:
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        if not math.isfinite(raw):
            raise AnswerRefused("Write a number.")
        raw = repr(raw)
    text = _text(raw, refusal="Write a number, with its unit if it has one.")
    if parse_quantity(text) is None:
        raise AnswerRefused("Write a number, with its unit if it has one, such as 2.5 km.")
    return text


def _text(raw: object, *, refusal: str = "Write an answer.") -> str:
    if not isinstance(raw, str):
        raise AnswerRefused(refusal)
    text = CONTROL.sub("", raw.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not text:
        raise AnswerRefused(refusal)
    if len(text) > MAX_ANSWER_LENGTH:
        raise AnswerRefused(f"An answer has at most {MAX_ANSWER_LENGTH} characters; this one has {len(text)}.")
    return text


def _by_place(places: list[str], steps: int) -> list[int]:
    wanted = [str(place) for place in range(1, steps + 1)]
    return [places.index(place) for place in wanted] if sorted(places) == sorted(wanted) else []


def answer_question(
    *,
    question: Question,
    participant: Participant,
    given: object,
    session: PracticeSession | None = None,
    max_a_day: int | None = None,
) -> Attempt:
    """Grade an answer from `clean_given`, and store the attempt and the progress of the concept in one transaction.

    An answer that was sent twice is graded once; both times the same attempt is returned. The grading may take a
    model's time, so it comes before the transaction. Raises AnswerRefused if the session is about something else, and
    after `max_a_day` answers since midnight.
    """
    plan = question.concept.plan
    if session is not None and (session.participant_id, session.plan_id) != (participant.pk, plan.pk):
        raise AnswerRefused("This question is not part of this session.")
    if earlier := _sent_before(question, participant, given):
        return earlier
    _check_number(participant, max_a_day)
    verdict = _grade(question, given)
    with transaction.atomic():
        # All rows below are this participant's: one lock keeps two answers at once apart.
        Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        if earlier := _sent_before(question, participant, given):
            return earlier
        _check_number(participant, max_a_day)
        now = timezone.now()
        if session is not None:
            _count_time(session, question, now)
        _update_progress(question, participant, verdict.verdict, now)
        attempt = Attempt.objects.create(
            school_id=question.school_id,
            question=question,
            participant=participant,
            session=session,
            given=given,
            verdict=verdict.verdict.value,
            share=verdict.share,
            feedback=verdict.feedback,
            cited=list(verdict.cited),
            answered_at=now,
        )
        call_hooks("on_attempt", attempt)
        return attempt


def rate_attempt(*, attempt: Attempt, rating: str) -> None:
    """Store how the learner rates an answer whose verdict is unsure. It counts for progress, once.

    Raises AnswerRefused for any other answer, and if it was rated otherwise before.
    """
    if rating not in dict(RATINGS):
        raise AnswerRefused("Choose right, partly right or wrong.")
    with transaction.atomic():
        Participant.objects.select_for_update(no_key=True).get(pk=attempt.participant_id)
        attempt.refresh_from_db(fields=["verdict", "own_rating"])
        if attempt.verdict != Verdict.UNSURE or attempt.own_rating not in ("", rating):
            raise AnswerRefused("This answer is rated already.")
        if not attempt.own_rating:
            attempt.own_rating = rating
            attempt.save(update_fields=["own_rating"])
            _update_progress(attempt.question, attempt.participant, Verdict(rating), timezone.now())


def _sent_before(question: Question, participant: Participant, given: object) -> Attempt | None:
    since = timezone.now() - timedelta(seconds=10)
    rows = Attempt.objects.filter(question=question, participant=participant, answered_at__gte=since)
    return next((row for row in rows if row.given == given), None)


def _check_number(participant: Participant, max_a_day: int | None) -> None:
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    today = Attempt.objects.filter(participant=participant, answered_at__gte=midnight)
    if max_a_day is not None and today.count() >= max_a_day:
        raise AnswerRefused(f"You have answered {max_a_day} questions today. You can go on tomorrow.")


def _grade(question: Question, given: object) -> Grade:
    plan = question.concept.plan
    if question.kind == QuestionKind.SHORT:
        cited = question.concept.sources.filter(number__in=question.source_numbers).order_by("number")
        passages = [source.as_numbered() for source in cited]
        return grade(question, given, passages, language=plan.language, llm=find_grader())
    names = Concept.objects.active().filter(plan=plan).values_list("name", flat=True)
    other_names = list(names) if question.kind == QuestionKind.CLOZE else []
    found = grade(question, given, (), language=plan.language, other_names=other_names)
    if question.kind == QuestionKind.SINGLE and found.verdict == Verdict.WRONG and isinstance(given, int):
        return _explain_choice(question, question.options[given], found)
    return found


def _explain_choice(question: Question, chosen: str, found: Grade) -> Grade:
    """Add to the verdict on a wrong choice what the option is, if another concept of the plan has this name, or is
    defined by these words; cited where a source of the question's concept says so."""
    plan = question.concept.plan
    key = make_name_key(chosen, plan.language)
    for other in Concept.objects.active().filter(plan=plan).exclude(definition=""):
        is_named = key in (make_name_key(name, plan.language) for name in (other.name, *other.synonyms))
        is_meant = len(chosen.split()) > 2 and chosen.casefold() in other.definition.casefold()
        if other.pk != question.concept_id and (is_named or is_meant):
            break
    else:
        return found
    said = f"“{other.shown_name}” is something else" if is_named else f"Your choice is about “{other.shown_name}”"
    sources = question.concept.sources.filter(is_current=True).order_by("number")
    number = next((one.number for one in sources if plain(other.definition) in plain(one.text)), None)
    cite = f" [{number}]" if number else ""
    cited = (*found.cited, number) if number and number not in found.cited else found.cited
    return replace(found, feedback=f"{found.feedback} {said}: {other.definition}{cite}", cited=cited)


def find_grader() -> LLM | None:
    """Return the language model that grades short answers, None where learners compare them themselves."""
    llm = get_llm()
    return llm if llm.generative else None


def _count_time(session: PracticeSession, question: Question, now: datetime) -> None:
    """Add the time since the last answer, unless it was a pause, and note that the question is answered."""
    row = PracticeSession.objects.get(pk=session.pk)
    last = row.attempts.order_by("-answered_at").values_list("answered_at", flat=True).first() or row.started_at
    if timedelta() < now - last <= timedelta(minutes=2):
        row.seconds += round((now - last).total_seconds())
    if row.question_id == question.pk:
        row.question = None
    row.save(update_fields=["seconds", "question"])
    session.seconds, session.question = row.seconds, row.question


def _update_progress(question: Question, participant: Participant, verdict: Verdict, now: datetime) -> None:
    progress, _ = ConceptProgress.objects.get_or_create(
        participant=participant,
        concept_id=question.concept_id,
        defaults={"school_id": question.school_id, "card": new_card(now), "due_at": now},
    )
    progress.card, progress.due_at = review(progress.card, verdict, now)
    progress.attempts += verdict != Verdict.UNSURE
    progress.right += verdict == Verdict.RIGHT
    progress.save()
