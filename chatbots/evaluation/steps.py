"""Run test questions in steps of some seconds, so that the page can show how far it is.

Each step is a request of the page. The results so far are in the database: a page that was left goes on when it is
opened again.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from django.db import transaction

from chatbots.answering.source_selection import sources_for
from chatbots.evaluation.test_questions import MOST, outcome, setup_of, store_run
from chatbots.models import Chatbot, StartedRun, TestQuestion

STEP_SECONDS = 2.0


def start_run(chatbot: Chatbot) -> StartedRun:
    """Start a run, or go on with one that was left, unless the questions or the setup have changed since."""
    setup, count = setup_of(chatbot), chatbot.test_questions.count()
    with transaction.atomic():
        Chatbot.objects.select_for_update(no_key=True).filter(pk=chatbot.pk).first()  # one start at a time
        started = StartedRun.objects.select_for_update().filter(chatbot=chatbot).first()
        if started is None or not _is_current(started, setup, count):
            started = StartedRun(school_id=chatbot.school_id, chatbot=chatbot, setup=setup)
        for name, value in StartedRun.starting(len(started.results), min(count, MOST)).items():
            setattr(started, name, value)
        started.save()
        return started


def continue_run(chatbot: Chatbot, *, seconds: float = STEP_SECONDS) -> StartedRun | None:
    """Search for at least one more test question. None once all have been searched for and the run is stored.

    Two pages may do this at the same time: then they share the work. Raises engines.errors.EngineError.
    """
    until = time.monotonic() + seconds
    started = StartedRun.objects.filter(chatbot=chatbot).first()
    if started and not _is_current(started, setup_of(chatbot), chatbot.test_questions.count()):
        started = start_run(chatbot)
    sources = sources_for(chatbot)
    for pinned in chatbot.test_questions.all()[:MOST]:
        if started and str(pinned.pk) not in started.results:
            started = _add(started, pinned, asdict(outcome(chatbot, pinned, sources)))
            if time.monotonic() >= until:
                break
    if started and started.progress_done >= started.progress_total:
        store_run(chatbot, started.setup, started.results)
        return None
    return started


def _is_current(started: StartedRun, setup: dict[str, Any], count: int) -> bool:
    """Whether the results so far are of the questions and the setup as they are now."""
    changed = started.chatbot.test_questions.filter(changed_at__gt=started.started_at)
    return started.setup == setup and started.progress_total == min(count, MOST) and not changed.exists()


def _add(started: StartedRun, pinned: TestQuestion, result: dict[str, Any]) -> StartedRun | None:
    """Store one result. None if the run was ended or started again meanwhile."""
    with transaction.atomic():
        rows = StartedRun.objects.select_for_update().filter(pk=started.pk, started_at=started.started_at)
        current = rows.first()
        if current:
            current.results[str(pinned.pk)] = result
            current.progress_done = len(current.results)
            current.save(update_fields=["results", "progress_done"])
        return current
