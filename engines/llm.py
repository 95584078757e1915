"""The language model: streams an answer to a prompt from any server with OpenAI's chat completions API."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, cast
from weakref import WeakKeyDictionary

from django.conf import settings
from django.utils.module_loading import import_string

from engines import background, errors
from engines.reasoning import ReasoningPiece, ThinkTags

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

_PAUSES_BEFORE_RETRY = (0.3, 1.0)  # seconds
_LIMITS = ("max_tokens", "max_completion_tokens", "")
"""Names for the limit of an answer; the first one that the server accepts is used. OpenAI's reasoning models want the
second. "" sends no limit."""

_PAUSE, _REST = 0.05, 0.5
"""Seconds for which tokens are collected, and for what comes after the end of an answer: a connection with unread rest
cannot be used again."""


@dataclass(frozen=True)
class ChatMessage:
    """One message of the conversation as a language model reads it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """What a language model is asked."""

    messages: tuple[ChatMessage, ...]
    temperature: float | None = field(default=None, kw_only=True)
    """How freely the model chooses its words; None for the setting LECTERN_LLM_TEMPERATURE."""
    max_tokens: int | None = field(default=None, kw_only=True)
    """The longest text that is wanted; None for the setting LECTERN_LLM_ANSWER, which is also the most."""


FINISH_REASONS = ("stop", "length", "content_filter", "incomplete")
"""Why an answer ended: by itself, at a limit of its length, by a filter, or without a sign that it is whole."""


class EndPiece(str):
    """The last piece of an asynchronous stream, which has no text but says why the answer ended."""

    finish_reason: str

    def __new__(cls, finish_reason: str) -> Self:
        piece = super().__new__(cls, "")
        piece.finish_reason = finish_reason
        return piece


class LLM(Protocol):
    """Something that writes answers. Thread-safe.

    One that has `astream` as well, an asynchronous generator of the same pieces whose last one is an EndPiece, is read
    in an event loop; any other takes a thread for each answer.
    """

    name: str  # shown to people
    generative: bool  # False when it can only quote the passages

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield the answer in pieces as it is written; a piece is empty where the model sends something else, a
        ReasoningPiece where it reasons.

        Raises EngineError. Closing the iterator stops the work. A generator may return one of FINISH_REASONS; without
        one the answer has ended by itself.
        """


def read_reply(llm: LLM, prompt: Prompt, max_characters: int) -> str:
    """Return what a model writes, cut soon after so many characters, since it may never stop. Raises EngineError."""
    reply, prompt = "", replace(prompt, max_tokens=max_characters)
    with closing(cast("Generator[str]", llm.stream(prompt))) as pieces:
        for piece in pieces:
            reply += piece
            if len(reply) > max_characters:
                break
    return reply


_answerers: dict[tuple[str, ...], LLM] = {}
_creating = threading.Lock()


def get_llm() -> LLM:
    """Return the answerer of this process for the current settings (LECTERN_ANSWERER and LECTERN_LLM_*)."""
    key = tuple(str(getattr(settings, name)) for name in _list_settings())
    with _creating:
        if key not in _answerers:
            _answerers[key] = import_string(settings.LECTERN_ANSWERER)()
        return _answerers[key]


@cache
def _list_settings() -> list[str]:
    return [name for name in dir(settings) if name.startswith(("LECTERN_ANSWERER", "LECTERN_LLM_"))]


class OpenAICompatible:
    """A language model behind an OpenAI-compatible address."""

    generative = True

    def __init__(self, *, silence: float | None = None) -> None:
        """Read the LECTERN_LLM_* settings; nothing is sent before the first question. `silence` is how many seconds the
        server may say nothing, in the place of the setting."""
        import httpx

        self._silence: float = silence or settings.LECTERN_LLM_TIMEOUT
        self._token_seconds: float = min(self._silence, settings.LECTERN_LLM_TOKEN_TIMEOUT)
        self.name: str = settings.LECTERN_LLM_MODEL
        self._longest: int = settings.LECTERN_LLM_ANSWER
        self._temperature: float = settings.LECTERN_LLM_TEMPERATURE
        self._reasons = False
        self._limit = _LIMITS[0]
        self._takes_temperature = True
        self._options: dict[str, Any] = {
            "base_url": settings.LECTERN_LLM_BASE_URL,
            "headers": {"Authorization": f"Bearer {settings.LECTERN_LLM_API_KEY or 'none'}"},
            "timeout": httpx.Timeout(self._silence, connect=settings.LECTERN_LLM_CONNECT_TIMEOUT),
            "limits": httpx.Limits(max_connections=1000, max_keepalive_connections=100, keepalive_expiry=60),
            "follow_redirects": True,
        }
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    def stream(self, prompt: Prompt) -> Generator[str, None, str]:
        """Yield the answer in pieces, return why it ended; raise EngineError. Closing it closes the connection."""
        for piece in background.iterate(self.astream(prompt)):
            if isinstance(piece, EndPiece):
                return piece.finish_reason
            yield piece
        return "stop"

    async def astream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same in an event loop; the last piece is an EndPiece.

        The answer ends with the server's finish_reason, else with "[DONE]", else with the stream, which is then
        incomplete. One that was cut off at its limit ends with an ellipsis. Between two tokens the server has less time
        than before the first one; signs of life do not count.
        """
        reader, received = _StreamReader(), asyncio.StreamReader()
        async with aclosing(await self._response(prompt)) as response:
            receiving = asyncio.create_task(_receive(response, received))
            left = self._silence
            try:
                with _in_plain_words():
                    while not reader.is_over:
                        waits = time.monotonic()
                        if reader.wrote:
                            await asyncio.sleep(_PAUSE)
                        async with asyncio.timeout(left):
                            some = await received.read(1 << 20)
                            if not some:
                                await receiving  # it says if the connection was lost
                        left -= time.monotonic() - waits
                        for piece in reader.feed(some):
                            self._reasons = self._reasons or isinstance(piece, ReasoningPiece)
                            left = self._token_seconds if piece or isinstance(piece, ReasoningPiece) else left
                            yield piece  # empty ones too, so that a reader can stop while the model reasons
                # What comes after an answer, such as "[DONE]", is read, so that the connection can be used again.
                await asyncio.wait([receiving], timeout=_REST)
            except errors.ModelTimeout:
                raise errors.ModelTimeout(_FELL_SILENT if reader.wrote else _TOO_SLOW) from None
            finally:
                receiving.cancel()
                await asyncio.gather(receiving, return_exceptions=True)
        for piece in reader.finish():
            yield piece
        yield EndPiece(reader.finish_reason)

    async def _response(self, prompt: Prompt) -> Any:
        """Send the prompt. Retry twice if the server cannot be reached or is overloaded."""
        for pause in _PAUSES_BEFORE_RETRY:
            try:
                return await self._create(prompt)
            except errors.ModelUnavailable:
                await asyncio.sleep(pause)
        return await self._create(prompt)

    async def _create(self, prompt: Prompt) -> object:
        """Send the request, with the limit of the answer under the name that this server accepts, and with a
        temperature if it takes one."""
        body = {"model": self.name, "messages": [asdict(message) for message in prompt.messages], "stream": True}
        while True:
            name = self._limit
            limit: dict[str, float] = {name: self._find_limit(prompt)} if name else {}
            if self._takes_temperature:
                limit["temperature"] = self._temperature if prompt.temperature is None else prompt.temperature
            with _in_plain_words(_UNREACHABLE):
                client = self._client()
                request = client.build_request("POST", "chat/completions", json={**body, **limit})
                response = await client.send(request, stream=True)
                error = "" if response.is_success else (await response.aread()).decode(errors="replace")
            if response.is_success:
                return response
            refused = {option for option in limit if option in error} if response.status_code in (400, 422) else ()
            if not refused:
                logger.warning("Language model answered %s", response.status_code)
                raise _refusal(response.status_code)
            if "temperature" in refused:
                self._takes_temperature = False
            if name in refused:
                self._limit = _LIMITS[_LIMITS.index(name) + 1]

    def _find_limit(self, prompt: Prompt) -> int:
        """How many tokens the model may write. One that reasons needs room for it before it writes anything."""
        wanted = None if self._reasons else prompt.max_tokens
        return self._longest if wanted is None else min(wanted, self._longest)

    def _client(self) -> Any:
        """The client of the running event loop; it keeps connections open."""
        import httpx

        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = httpx.AsyncClient(**self._options)
        return self._clients[loop]


async def _receive(response: httpx.Response, received: asyncio.StreamReader) -> None:
    """Collect what a server sends. What came before a lost connection can still be read."""
    try:
        async for some in response.aiter_bytes():
            received.feed_data(some)
    finally:
        received.feed_eof()


class _StreamReader:
    """Reads the server-sent events of a stream, however they are cut into pieces."""

    def __init__(self) -> None:
        self.wrote = False
        self.is_over = False
        self.finish_reason = "incomplete"
        self._heard = False
        self._rest, self._half, self._text, self._reasoning = b"", "", "", ""
        self._tags = ThinkTags()

    def feed(self, received: bytes) -> Iterator[str]:
        """Yield what was received of the reasoning and of the answer, also where an error follows; none is the end of
        the stream.

        Only a line feed ends a line: text may hold other line separators of Unicode. At the end of the stream the last
        event counts even if nothing ends it.
        """
        *events, self._rest = (self._rest + (received or b"\n\n")).replace(b"\r\n", b"\n").split(b"\n\n")
        data = [[line[5:].removeprefix(b" ") for line in one.split(b"\n") if line[:5] == b"data:"] for one in events]
        try:
            for lines in filter(None, data):
                if not self.is_over:
                    self._read(b"\n".join(lines).decode(errors="replace"))
        finally:
            if self._reasoning:
                yield ReasoningPiece(self._reasoning)
            if any(data):
                yield self._text
            self._reasoning = self._text = ""
        self.is_over = self.is_over or not received

    def finish(self) -> Iterator[str]:
        """Yield what is still held. Raises EngineError if there is no answer."""
        if rest := self._tags.finish():
            self.wrote = self.wrote or bool(rest.strip())
            yield rest
        if not self._heard:
            raise errors.ModelUnavailable(_UNREADABLE)
        if not self.wrote:
            raise errors.ModelSilent(_NO_ROOM if self.finish_reason == "length" else _SILENT)
        if self.finish_reason == "length":
            yield "…"

    def _read(self, event: str) -> None:
        if event.startswith("[DONE]"):
            self.is_over, self.finish_reason = True, "stop"
            return
        chunk = json.loads(event)
        text, reasoning, reason = _read(chunk)
        text, self._half = _whole(self._half + text)
        tagged, text = self._tags.feed(text)
        self._heard = self._heard or bool(chunk.get("choices"))
        self.wrote = self.wrote or bool(text.strip())
        if reason:
            self.is_over, self.finish_reason = True, reason if reason in FINISH_REASONS else "stop"
        self._reasoning += _whole(reasoning)[0] + tagged
        self._text += text


def _read(chunk: Any) -> tuple[str, str, str]:
    """Return the text of a chunk, its reasoning and its finish_reason, each "" if it has none."""
    if chunk.get("error"):
        raise errors.ModelUnavailable(_BROKE_OFF)
    if not chunk.get("choices"):
        return "", "", ""
    choice = chunk["choices"][0]
    delta = choice.get("delta") or {}
    content, reasoning = delta.get("content"), delta.get("reasoning_content") or delta.get("reasoning")
    if content is not None and not isinstance(content, str):
        raise TypeError("content is not text")
    reasoning = reasoning if isinstance(reasoning, str) else ""
    return content or "", reasoning, str(choice.get("finish_reason") or "")


def _whole(piece: str) -> tuple[str, str]:
    """Return the text of a piece, and the first half of an emoji at its end. Other halves are dropped."""
    if piece.isascii():
        return piece, ""
    half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
    text = piece.removesuffix(half).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return text, half


_UNREACHABLE = "The language model cannot be reached at the moment. Please try again in a few minutes."
_UNREADABLE = (
    "The language model sent something that is not an answer. Please try again; if it happens again, "
    "the address of the language model may be wrong."
)
_BROKE_OFF = "The connection to the language model broke off. Please try again."
_DOWN = "The language model has a problem of its own at the moment. Please try again in a few minutes."
_SILENT = "The language model finished without writing an answer. Please try again, or ask in other words."
_NO_ROOM = (
    "The language model used up its room before it wrote an answer. Please tell the people who run Lectern: "
    "LECTERN_LLM_ANSWER gives it more."
)
_TOO_SLOW = "The language model took too long and was stopped. Please try again, or ask something shorter."
_FELL_SILENT = "The language model fell silent in the middle of its answer and was stopped. Please try again."
_BUSY = "The language model is busy, or its quota is used up. Please try again in a minute."
_REFUSALS = {
    400: "The language model could not take this question; it may be too long. Ask something shorter.",
    401: "The language model did not accept Lectern's key. Please tell the people who run Lectern.",
    403: "The language model does not allow Lectern to use it. Please tell the people who run Lectern.",
    404: "The language model Lectern is set up for does not exist there. Please tell the people who run Lectern.",
    413: errors.TOO_LONG,
}


@contextmanager
def _in_plain_words(broken: str = _BROKE_OFF) -> Iterator[None]:
    """Convert errors of the client to EngineErrors without addresses, keys or server texts.

    `broken` is the message for a connection that failed.
    """
    import httpx

    try:
        yield
    except httpx.ConnectTimeout:
        logger.warning("Language model not reached: ConnectTimeout")
        raise errors.ModelUnavailable(_UNREACHABLE) from None
    except (httpx.TimeoutException, TimeoutError) as error:
        logger.warning("Language model timed out: %s", type(error).__name__)
        raise errors.ModelTimeout(_TOO_SLOW) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        logger.warning("Language model's connection failed: %s", type(error).__name__)
        raise errors.ModelUnavailable(broken) from None
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        logger.warning("Language model sent garbage: %s", type(error).__name__)
        raise errors.ModelUnavailable(_UNREADABLE) from None


def _refusal(status: int) -> errors.EngineError:
    if status == 429:
        return errors.ModelRateLimited(_BUSY)
    if status == 408:
        return errors.ModelTimeout(_TOO_SLOW)
    if status >= 500:
        return errors.ModelUnavailable(_DOWN)
    error = errors.ModelUnknown if status == 404 else errors.ModelRefused
    return error(_REFUSALS.get(status, _REFUSALS[400]))
