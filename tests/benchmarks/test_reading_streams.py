"""The benchmark of streams says what it has read of one that ends too early."""

import asyncio
from uuid import uuid4

import pytest

from benchmarks.streams import Asked, Seen, read_one

HALF = b'event: text\ndata: {"anew": true, "finished": "", "unfinished": "<p>Half</p>"}\n\n'
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ([b"event: sources\ndata: \n\n", HALF, b""], "sources, text"),
        ([b"event: sources\ndata: \n\n"], "sources"),  # without the end of a body
        ([b""], "nothing"),
    ],
)
def test_what_came_of_a_stream_without_an_end_is_told(sent: list[bytes], told: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        writer.write(HEAD)
        for chunk in sent if line.startswith(b"GET") else [b""]:
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        await writer.drain()
        writer.close()

    async def read() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            await asyncio.wait_for(read_one(Asked(uuid4(), "s", "Why?"), port, Seen()), 20)

    with pytest.raises(RuntimeError, match=rf"^ended \d+\.\d s after its head, with no more than {told}$"):
        asyncio.run(read())
