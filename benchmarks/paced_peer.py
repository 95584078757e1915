"""A language model's server that writes at a steady pace, for `benchmarks.streams`; lean, since it shares the machine.

    python -m benchmarks.paced_peer PORT FIRST_MS TOKENS_A_SECOND TOKENS

It notes when it sent each token (CLOCK_MONOTONIC, which all processes share), by the question that was asked, and
tells all of it on GET /sent.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from itertools import cycle, islice

SENTENCES = (
    "Use hydrochloric acid of 0.5 mol/l for year 9 [1]. Acid goes into water, never water into acid [1]. "
    "Without a teacher demonstration acids may have at most 1 mol/l [1]. "
    "Goggles are worn whenever a liquid other than water is open on the bench [1]. "
    "Bottles are closed again as soon as enough was poured [1]. "
    "What is left over is collected in the labelled canister beside the sink [1]. "
    "Spilled drops are wiped up at once with a wet cloth [1]. "
    "Whoever gets some on the skin rinses it for several minutes [1]. "
    "Nobody tastes anything, and bags stay under the tables [1]. "
    "Each group writes the name and the strength on every beaker before it begins [1]. "
    "At the end all wash their hands [1]. "
)
"""More words than an answer has: the same again and again would be taken for a model that goes round in circles."""
_sent: dict[str, list[float]] = {}


def question_in(text: str) -> str:
    """The question that a prompt ends with, wherever that puts it."""
    questions: list[str] = re.findall(r"[^\n:<>]*\?", text)
    return questions[-1].strip() if questions else ""


def words(count: int) -> list[str]:
    """The answer's tokens, each a word with the space before it, as most models write."""
    return [f" {word}" for word in islice(cycle(SENTENCES.split()), count)]


async def serve(port: int, first: float, pace: float, tokens: int) -> None:
    events = [_event(json.dumps({"content": word})) for word in words(tokens)]
    last = _event("{}", finish='"stop"') + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun = time.monotonic()
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:  # somebody looked whether there is a server
            writer.close()
            return
        if head.startswith(b"GET"):
            body = json.dumps(_sent).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)
        else:
            length = re.search(rb"(?i)content-length: (\d+)", head)
            asked = json.loads(await reader.readexactly(int(length[1]) if length else 0))["messages"][-1]
            sent = _sent.setdefault(question_in(asked["content"]), [])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
            writer.write(b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
            for number, event in enumerate(events):
                await asyncio.sleep(begun + first + number / pace - time.monotonic())
                writer.write(event)
                sent.append(time.monotonic())
            writer.write(last)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=512)
    await server.serve_forever()


def _event(delta: str, finish: str = "null") -> bytes:
    choice = f'{{"index": 0, "delta": {delta}, "finish_reason": {finish}}}'
    chunk = f'{{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{choice}]}}'
    return _chunk(f"data: {chunk}\n\n".encode())


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 1000, float(sys.argv[3]), int(sys.argv[4])))
