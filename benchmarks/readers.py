"""What a waiting reader costs one web process: memory and threads, with many readers of running answers.

    python -m benchmarks.readers [--readers 2000] [--answers 20] [--data DIR] [--json result.json]

A model writes a word every two seconds, so nearly all readers wait. They open the event stream of a page, as many for
each answer as the answers are fewer. *Memory* is the resident memory that readers add after the first hundred; the bar
is under 50 kB a reader, and no thread for any.
"""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import psutil

from benchmarks import ground
from benchmarks.question import by_page_without_reading
from benchmarks.streams import TOKEN, Asked, broker, peer, prepare, web

FIRST = 100


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--readers", type=int, default=2000)
    parser.add_argument("--answers", type=int, default=20)
    options = parser.parse_args()
    paced = SimpleNamespace(first=300, pace=0.5, tokens=300, pool=8, processes=1)
    with ground.database(options.data), broker():
        asked = prepare(5, options.answers)
        with peer(paced) as model, web(paced, model) as port:
            result = asyncio.run(read(asked, port, options.readers))
    print(ground.table({"readers": result}, "one web process"))
    ground.write(result, options.json)


async def read(asked: list[Asked], port: int, count: int) -> dict[str, Any]:
    """Open all streams and compare the process after the first hundred and after all."""
    for one in asked:
        await by_page_without_reading(port, one)
    process = served_at(port)
    streams = [await opened(asked[number % len(asked)], port) for number in range(FIRST)]
    await asyncio.sleep(3)
    before, threads = process.memory_info().rss, process.num_threads()
    began = time.monotonic()
    streams += [await opened(asked[number % len(asked)], port) for number in range(FIRST, count)]
    took = time.monotonic() - began
    await asyncio.sleep(3)
    after, all_threads = process.memory_info().rss, process.num_threads()
    spent = sum(process.cpu_times()[:2])
    await asyncio.sleep(10)
    busy = (sum(process.cpu_times()[:2]) - spent) / 10
    alive = sum(not reader.at_eof() for reader, _ in streams)
    for _, writer in streams:
        writer.close()
    return {
        "count": count,
        "still open": alive,
        "kB each": round((after - before) / (count - FIRST) / 1000, 1),
        "threads before": threads,
        "threads after": all_threads,
        "opened a second": round((count - FIRST) / took, 1),
        "processor, of one core": round(busy, 2),
    }


async def opened(one: Asked, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """An event stream whose first event has come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"Host: 127.0.0.1\r\nCookie: sessionid={one.session}; csrftoken={TOKEN}\r\n"
    writer.write(f"GET /messages/{one.message}/stream/ HTTP/1.1\r\n{head}\r\n".encode())
    answered = await reader.readuntil(b"\r\n\r\n")
    assert answered.split()[1] == b"200", answered
    await reader.readuntil(b"event: ")
    return reader, writer


def served_at(port: int) -> psutil.Process:
    """The web process."""
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr[1:] == (port,) and connection.pid:
            return psutil.Process(connection.pid)
    raise LookupError(f"Nothing listens on port {port}.")


if __name__ == "__main__":
    main()
