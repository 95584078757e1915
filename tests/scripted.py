"""A language model that writes what a test tells it to: LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"."""

import asyncio
import re
import threading
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from chatbots.passages import AnswerPrompt
from engines.llm import EndPiece, Prompt


@dataclass(frozen=True)
class Finish:
    """The end of an answer, for this reason."""

    reason: str


Step = str | float | Exception | threading.Event | Finish
PATIENCE = 30.0  # seconds a held answer waits for its test


class ScriptedLLM:
    """Writes the queued answers in turn, whichever thread asks; what it was asked is in `history`.

    Asked to rewrite a question, it writes the queued rewritings, else the question unchanged; see `asked_to_rewrite`.
    """

    name = "Scripted model"
    generative = True
    history: ClassVar[list[Any]] = []  # prompts of every type
    asked_to_rewrite: ClassVar[list[Prompt]] = []
    _queue: ClassVar[list[Sequence[Step]]] = []
    _rewritings: ClassVar[list[Sequence[Step]]] = []
    _lock: ClassVar[threading.Lock] = threading.Lock()

    @classmethod
    def enqueue(cls, *answers: str | Exception | Sequence[Step]) -> None:
        """Add answers: a text (streamed word by word), an exception to raise, or steps in order.

        A step is a text delta, a pause in seconds, an exception to raise, an event to wait for, or an end.
        """
        with cls._lock:
            cls._queue.extend(_steps(answer) for answer in answers)

    @classmethod
    def enqueue_rewriting(cls, *rewritings: str | Exception | Sequence[Step]) -> None:
        """Add rewritten questions, in the same forms as answers."""
        with cls._lock:
            cls._rewritings.extend(_steps(rewriting) for rewriting in rewritings)

    @classmethod
    def reset(cls) -> None:
        """Forget queued answers and history."""
        with cls._lock:
            cls._queue.clear()
            cls._rewritings.clear()
            cls.history.clear()
            cls.asked_to_rewrite.clear()

    def stream(self, prompt: Prompt) -> Generator[str, None, str]:
        """Write the next queued answer, or else a sentence that quotes the first passage."""
        with self._lock:
            rewrites = any("<conversation>" in turn.content for turn in prompt.messages)
            (self.asked_to_rewrite if rewrites else self.history).append(prompt)
            waiting = self._rewritings if rewrites else self._queue
            default = prompt.messages[-1].content.rpartition("Last question: ")[2] if rewrites else _default(prompt)
            steps = waiting.pop(0) if waiting else _steps(default)
        for step in steps:
            if isinstance(step, str):
                yield step
            elif isinstance(step, Exception):
                raise step
            elif isinstance(step, threading.Event):
                if not step.wait(PATIENCE):
                    raise TimeoutError("The test never let this answer go on.")
            elif isinstance(step, Finish):
                return step.reason
            else:
                time.sleep(step)
        return "stop"

    async def astream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same in an event loop, for which a thread stands in for the server that writes."""
        loop, pieces = asyncio.get_running_loop(), self.stream(prompt)
        while True:
            piece = await loop.run_in_executor(_servers, _next, pieces)
            yield piece
            if isinstance(piece, EndPiece):
                return


_servers = ThreadPoolExecutor(64)


def _next(pieces: Generator[str, None, str]) -> str:
    try:
        return next(pieces)
    except StopIteration as end:
        return EndPiece(end.value or "stop")


def _steps(answer: str | Exception | Sequence[Step]) -> Sequence[Step]:
    if isinstance(answer, str):
        return re.findall(r"\s*\S+\s*", answer)
    return [answer] if isinstance(answer, Exception) else answer


def _default(prompt: Prompt) -> str:
    if not isinstance(prompt, AnswerPrompt) or not prompt.passages:
        return "This comes from general knowledge."
    return f"The source says: “{' '.join(prompt.passages[0].excerpt.split())}” [1]"
