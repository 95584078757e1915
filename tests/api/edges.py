"""What the edge cases have in common: texts of all kinds, a server whose services are away, an embedder that fails."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.conf import settings as django_settings
from numpy.typing import NDArray

from engines.embedding import Embedder, runtime
from engines.embedding.models import DEFAULT
from engines.errors import EmbeddingUnavailable
from tests.running import environment

KEPT = {
    "right to left": "ما هي قوة الحمض؟ וכמה חזקה החומצה?",
    "Chinese, Japanese, Thai": "酸有多強? 塩酸の濃度は? กรดแรงแค่ไหน",
    "emoji of many parts": "Is 👩🏽‍🔬 allowed 🧪? 🏳️‍🌈 🇩🇪",
    "combining characters": "re\u0301sume\u0301 o\u0308 Z\u0335a\u0300\u0301\u0302lgo q\u0323\u0307",
    "composed and not": "\u00e9 e\u0301 \u212b \u00c5 \ufb01",
    "signs that turn the text": "abc \u202edef\u202c \u2066ghi\u2069 \u200bzero\u200dwidth \ufeffmark",
    "control characters": "bell \x07 escape \x1b[31m vertical \x0b form \x0c delete \x7f next \x85 line",
    "code": "```python\nif a < b && c > d:\n\tprint(\"%s\\n\" % '&amp;')\n```",
    "HTML and scripts": "<script>alert('x')</script><img src=x onerror=alert(1)> &lt; \"quoted\"",
    "templates and SQL": "{{ 7*7 }} {% csrf_token %} ${x} '; DROP TABLE chatbots_message; -- %s %(a)s",
    "Markdown and formulas": "# Not a heading *a* [n](u) [1] $x^2$ | a | b |\n> quote\n- item",
    "far planes": "\U0001f9ea \U00020000 \U000e0041 \U0010ffff \uffff \ue000",
    "lines of all kinds": "one\ntwo\u2028three\u2029four\tfive",
}


AWAY = """
import json, sys
import django
django.setup()
from django.test import Client
from django.core.files.uploadedfile import SimpleUploadedFile
program = Client(headers={"authorization": "Bearer " + sys.argv[1], "host": "localhost"}, raise_request_exception=False)
steps = json.loads(sys.argv[2])
told = []
for method, url, body in steps:
    if body and "file" in body:
        answer = program.post(url, {"file": SimpleUploadedFile("away.md", body["file"].encode())})
    else:
        answer = getattr(program, method)(url, *([body, "application/json"] if body else []))
    told.append([answer.status_code, answer.headers.get("Content-Type"), answer.headers.get("Retry-After"),
                 json.loads(answer.content)])
print(json.dumps(told))
import os; sys.stdout.flush(); os._exit(0)
"""


def told_while_away(token: str, steps: Sequence[Any], **addresses: str) -> tuple[list[Any], str]:
    """What a server process of its own with these addresses answers, and all that it wrote."""
    done = subprocess.run(
        [sys.executable, "-c", AWAY, token, json.dumps(steps)],
        cwd=django_settings.BASE_DIR,
        env=environment(django_settings.DATA_DIR, **addresses),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return answers, done.stdout + done.stderr


class Faltering:
    """The packaged model, which fails with these batches and questions, counted from the first."""

    def __init__(self, packaged: Embedder, *, batches: range = range(0), questions: range = range(0)) -> None:
        self.packaged, self.batches, self.questions = packaged, batches, questions
        self.asked = self.embedded = 0
        self.name, self.dimensions = packaged.name, packaged.dimensions
        self.max_tokens, self.languages = packaged.max_tokens, packaged.languages
        self.count_tokens = packaged.count_tokens

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked += 1
        if self.asked - 1 in self.questions:
            raise EmbeddingUnavailable("The embedding model cannot be used just now.")
        return self.packaged.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += 1
        if self.embedded - 1 in self.batches:
            raise ConnectionResetError("in the middle")
        return self.packaged.embed_passages(texts)


def falter(monkeypatch: pytest.MonkeyPatch, packaged: Embedder, **when: range) -> Faltering:
    """Have this process's embedder fail so."""
    faltering = Faltering(packaged, **when)
    for name in ("auto", "onnx-int8"):
        key = (DEFAULT, name, django_settings.LECTERN_EMBEDDING_THREADS)
        monkeypatch.setitem(runtime._embedders, key, faltering)
    return faltering
