"""Answer a practice question: the attempt, and what it says of the learner's progress."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from chatbots.models import Participant
from engines.llm import LLM, get_llm
from learning.grading import grade
from learning.material import Grade, QuestionKind, Verdict
from learning.models import Attempt, Concept, ConceptProgress, PracticeSession, Question
from learning.models.progress import RATINGS
from learning.practice.given import AnswerRefused, clean_given
from learning.practice.progress import new_card, review
from learning.reading.statements import plain
from plugins import call_hooks
from text.names import make_name_key

__all__ = ["AnswerRefused", "answer_question", "clean_given", "rate_attempt"]


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
