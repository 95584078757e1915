"""The least that a question can cost, for `benchmarks.question`: embed, run the two searches, write the rows, stream.

One process, bare uvicorn and plain psycopg with prepared statements. `benchmarks.question` records the statements of
the product's two searches and the rows of an answer in FLOOR (a file of pickled values); here they are run again with
the vector of the question that is asked, and with new ids.
"""

from __future__ import annotations

import json
import os
import pickle
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import django

django.setup()

import psycopg  # noqa: E402
import uuid_utils.compat  # noqa: E402
from pgvector import HalfVector  # noqa: E402
from pgvector.psycopg import register_vector  # noqa: E402

from engines.embedding import get_embedder  # noqa: E402

_known: dict[str, Any] = pickle.loads(Path(os.environ["FLOOR"]).read_bytes())  # noqa: S301 - written by the benchmark
_embedder = get_embedder()
_embedder.embed_query("a question")
_searching = psycopg.connect(**_known["connection"], autocommit=True, prepare_threshold=0)
_writing = psycopg.connect(**_known["connection"], prepare_threshold=0)
register_vector(_searching)
_searching.execute("SET plan_cache_mode = force_generic_plan")
_searching.execute("SET jit = off")


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    if scope["path"] == "/budget":
        told = {"web": time.process_time(), "seconds": {}, "entered": {}}
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(told).encode()})
        return
    body = b""
    more = scope["method"] == "POST"
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    question = parse_qs(scope["query_string"].decode()).get("question", ["?"])[0]
    rows = search(question)
    writes = scope["path"] == "/ask"
    if writes:
        begin()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    if writes:
        for piece in _known["pieces"]:
            await send({"type": "http.response.body", "body": f"data: {piece}\n\n".encode(), "more_body": True})
        end()
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})
    else:
        found = [[str(value) for value in row] for row in rows]
        await send({"type": "http.response.body", "body": json.dumps(found).encode()})


def search(question: str) -> list[Any]:
    """The rows of both searches."""
    vector = HalfVector(_embedder.embed_query(question))
    found: list[Any] = []
    with psycopg.RawCursor(_searching) as cursor:
        for statement, parameters in _known["searches"]:
            own = [vector if isinstance(one, HalfVector) else one for one in parameters]
            found += cursor.execute(statement, own, prepare=True, binary=True).fetchall()
    return found


def begin() -> None:
    """Store the question with its sources, as one transaction."""
    key = uuid_utils.compat.uuid7()
    with _writing.cursor() as cursor:
        for table, columns, rows in _known["rows"]:
            names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
            for row in rows:
                own = [
                    key
                    if value == _known["message"]
                    else (uuid_utils.compat.uuid7() if name == "id" and isinstance(value, UUID) else value)
                    for name, value in zip(columns, row, strict=True)
                ]
                cursor.execute(f'INSERT INTO "{table}" ({names}) VALUES ({places})', own, prepare=True)  # noqa: S608
    _writing.commit()
    _known["last"] = key


def end() -> None:
    """Store the answer."""
    statement = "UPDATE chatbots_message SET answer = %s, status = 'done', finished_at = now() WHERE id = %s"
    _writing.execute(statement, ["".join(_known["pieces"]), _known["last"]], prepare=True)
    _writing.commit()
