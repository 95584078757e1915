"""How an answer that a program waits for has ended, also where its writer could not say."""

from __future__ import annotations

import pytest

from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming.outcomes import Failure, load_outcome
from tests.factories import Cast, make_message

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", [MessageStatus.PENDING, MessageStatus.WRITING])
def test_half_an_answer_is_no_answer(people: Cast, chatbot: Chatbot, status: MessageStatus) -> None:
    message = make_message(people.alice, chatbot, "How strong?", answered=False)
    Message.objects.filter(pk=message.pk).update(status=status, answer="Half of")
    ended = load_outcome(message.pk)
    assert isinstance(ended, Failure)
    assert ended.status == 503
    assert ended.ids == {"message_id": str(message.pk), "chat_id": str(message.chat_id)}


def test_a_whole_one_is(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, "How strong is hydrochloric acid?")
    assert load_outcome(message.pk) == message
