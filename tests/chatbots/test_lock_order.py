"""Who ends, erases or asks again while a chatbot is deleted waits for the other, and neither is given up for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chatbots.answering import finalize
from chatbots.answering.draft import Draft
from chatbots.conversations import asking, deletion
from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chatbot, Message, MessageStatus, QuestionLogEntry
from tests.factories import Cast, cast, make_chatbot, make_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(transactional_db: None) -> Cast:
    return cast()


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, is_named_in_log=True)


@pytest.fixture
def message(people: Cast, chatbot: Chatbot) -> Message:
    """One that is being written."""
    message = make_message(people.alice, chatbot, answered=False)
    message.status = MessageStatus.WRITING
    message.save()
    return message


@contextmanager
def as_soon_as_a_row_is_held(act: Callable[[], Any]) -> Iterator[list[BaseException]]:
    """Somebody else does that, as far as it goes, once a statement of ours has taken its first row."""
    failed: list[BaseException] = []

    def other() -> None:
        try:
            act()
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=other)

    def look(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if thread.ident is None and (sql.startswith("UPDATE") or " UPDATE" in sql):
            thread.start()
            thread.join(0.3)  # done by then, unless it has to wait
        return result

    with connection.execute_wrapper(look):
        yield failed
    assert thread.ident, "no row was held"
    thread.join(120)


WAYS: dict[str, Callable[[Message], Any]] = {
    "it ends": lambda message: finalize.finish(message, Draft("refused")),
    "it is stopped": lambda message: finalize.mark_stopped(message.pk),
    "it is interrupted": lambda message: finalize.interrupt(message),
    "more of it was seen": lambda message: finalize.keep_seen(message.pk, "Half of it"),
    "it is asked for again": lambda message: asking.ask_again(message=message),
    "it is erased": lambda message: deletion.erase_chat(message.chat),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_chatbot_is_deleted_while_something_is_done_to_an_answer(message: Message, way: str) -> None:
    rows = Message.objects.filter(pk=message.pk)
    if way == "more of it was seen":
        rows.update(status=MessageStatus.STOPPED, answer="Half")
    elif way == "it is asked for again":
        rows.update(status=MessageStatus.FAILED)
    elif way == "it is erased":
        deletion.delete_chat(message.chat)
    rows.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    message = rows.select_related("chat__chatbot").get()
    chatbot = message.chat.chatbot
    assert chatbot
    with as_soon_as_a_row_is_held(lambda: erase_chatbot(chatbot)) as failed:
        WAYS[way](message)
    assert not failed
    assert not Chatbot.objects.exists()
    assert not Message.objects.exists()
    assert QuestionLogEntry.objects.exists()


@pytest.mark.parametrize(("is_named", "looks"), [(True, 1), (False, 0)])
def test_only_where_the_log_names_it_is_a_chatbot_held(
    message: Message, chatbot: Chatbot, is_named: bool, looks: int
) -> None:
    Chatbot.objects.update(is_named_in_log=is_named)
    message = Message.objects.select_related("chat__chatbot").get()
    with CaptureQueriesContext(connection) as queries:
        finalize.finish(message, Draft("refused"))
    assert sum('FROM "chatbots_chatbot"' in query["sql"] for query in queries) == looks
