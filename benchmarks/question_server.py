"""The product as an ASGI application that counts where processor time goes, for `benchmarks.question`.

GET /budget tells the processor seconds of this process and, since the last time, those of each step and how often it
was entered; of steps within a step the inner one counts.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from config.asgi import application as product

STEPS = {
    "sign-in": ["django.contrib.auth.middleware:get_user", "schools.tokens:recognise"],
    "statements": [
        "django.db.backends.utils:CursorWrapper.execute",
        "django.db.backends.utils:CursorWrapper.executemany",
    ],
    "checkouts": ["psycopg_pool:ConnectionPool.getconn", "psycopg_pool:ConnectionPool.putconn"],
    "reading": ["corpus.search.reranking:rerank"],
    "sources": ["chatbots.answering.source_selection:select_sources"],
    "spelling": ["chatbots.answering.spelling:correct_spelling"],
    "search": ["corpus.search.in_flight:Flight.__init__", "corpus.search.in_flight:Flight.settle"],
    "retrieval": ["chatbots.answering.retrieval:retrieve"],
    "prompt": ["chatbots.answering.prompts:build_grounded_prompt"],
    "request": ["chatbots.answering.request:build_request"],
    "store": [
        "chatbots.conversations.asking:ask",
        "chatbots.answering.recorder:claim",
        "chatbots.answering.prompt_record:store",
        "chatbots.answering.finalize:finish",
        "chatbots.answering.finalize:finish_at_once",
    ],
    "quoting": ["chatbots.quoting.selection:select_sentences"],
    "verify": ["chatbots.answering.generation:verify"],
    "templates": ["django.template.backends.django:Template.render"],
    "text as HTML": ["chatbots.citations.rendering:render_unfinished"],
    "saving text": ["chatbots.streaming.ticker:_save"],
}

_seconds: defaultdict[str, float] = defaultdict(float)
_entered: Counter[str] = Counter()
_lock = threading.Lock()
_here = threading.local()


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http" and scope["path"] == "/budget":
        with _lock:
            told = {"seconds": dict(_seconds), "entered": dict(_entered), "web": time.process_time()}
            _seconds.clear()
            _entered.clear()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(told).encode()})
        return
    await product(scope, receive, send)


def counted(step: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its processor time counted for a step, that of steps within it not."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        outer: list[float] | None = getattr(_here, "inner", None)
        _here.inner = inner = [0.0]
        began = time.thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            spent = time.thread_time() - began
            _here.inner = outer
            if outer is not None:
                outer[0] += spent
            with _lock:
                _seconds[step] += spent - inner[0]
                _entered[step] += 1

    return call


def _everywhere(original: Any) -> Iterator[tuple[Any, str]]:
    """The names under which modules have imported something."""
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()) if module else ():
            if value is original:
                yield module, name


def instrument() -> None:
    """Count the functions of STEPS; a name that is gone is an error."""
    import importlib

    from engines.embedding import get_embedder
    from engines.reader.loading import get_reader

    importlib.import_module("config.urls")
    for step, places in STEPS.items():
        for place in places:
            module, _, path = place.partition(":")
            owner: Any = importlib.import_module(module)
            *classes, name = path.split(".")
            for one in classes:
                owner = getattr(owner, one)
            original = inspect.getattr_static(owner, name)
            if classes:
                setattr(owner, name, counted(step, original))
                continue
            for user, known_as in _everywhere(original):
                setattr(user, known_as, counted(step, original))
    embedder, reader = get_embedder(), get_reader()
    for owner, name, step in (
        (embedder, "embed_query", "embedding"),
        (embedder, "embed_passages", "embedding"),
        *([(reader, "read", "reading")] if reader else []),
    ):
        setattr(owner, name, counted(step, getattr(owner, name)))


instrument()
