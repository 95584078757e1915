"""Searching by the API (T2)."""

from __future__ import annotations

import pytest
from django.test import Client

from chatbots.models import Chatbot, Message
from tests.chatbots.programs import QUESTION, post
from tests.factories import (
    Cast,
    make_chatbot,
    make_program,
)

pytestmark = pytest.mark.django_db


def test_a_search_gives_passages_and_stores_nothing(people: Cast, chatbot: Chatbot) -> None:
    reader = make_program(people.alice, write=False)
    found = post(reader, f"chatbots/{chatbot.pk}/search", {"query": QUESTION}).json()
    assert [one["rank"] for one in found["passages"]] == list(range(1, len(found["passages"]) + 1))
    assert {one["source"] for one in found["passages"]} == {"personal", "school"}
    first = found["passages"][0]
    assert set(first["document"]) == {"id", "title", "version"}
    assert first["excerpt"] in first["text"]
    assert 0 < first["weighted"] <= first["relevance"] <= 1
    assert set(found["timings"]) == {"embed_ms", "read_ms", "search_ms", "total_ms"}
    assert found["unavailable"] == []
    assert not Message.objects.exists()
    one = post(reader, f"chatbots/{chatbot.pk}/search", {"query": QUESTION, "limit": 1}).json()
    assert len(one["passages"]) == 1
    for wrong in ({"query": " "}, {"query": "a", "limit": 0}, {"query": "a", "limit": 51}, {}):
        assert post(reader, f"chatbots/{chatbot.pk}/search", wrong).status_code == 400
    assert post(make_program(people.bob), f"chatbots/{chatbot.pk}/search", {"query": "a"}).status_code == 404


def test_a_chatbot_without_sources_finds_nothing(alice: Client, people: Cast) -> None:
    empty = make_chatbot(people.alice)
    assert post(alice, f"chatbots/{empty.pk}/search", {"query": "acid"}).json()["passages"] == []
