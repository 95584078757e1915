"""Lectern without plug-ins, in a process of its own on the test database: `core_alone.py EMAIL CHATBOT`."""

import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import get_resolver, reverse  # noqa: E402

from chatbots.models import Chatbot, Message  # noqa: E402
from corpus.source_kinds import list_kinds, list_searchable_kinds  # noqa: E402
from plugins import find_plugins  # noqa: E402
from schools.models import User  # noqa: E402
from tests.factories import finish_answers, make_program, signed_in  # noqa: E402

PAGES = (
    *("home", "chatbots:list", "chatbots:chats", "chatbots:start", "chatbots:create", "chatbots:templates"),
    *("chatbots:usage", "chatbots:gaps", "knowledge:list", "knowledge:paste", "school_library:list"),
    *("schools:tokens", "privacy:own-data", "chatbots:school-usage", "chatbots:question-log", "chatbots:school-gaps"),
    *("schools:members", "schools:signing-in", "school_library:upload", "audit:list"),
)
QUESTION = "How strong may hydrochloric acid be?"

email, key = sys.argv[1:]
settings.ALLOWED_HOSTS = ["testserver"]
assert find_plugins() == []
call_command("check")
assert not {*settings.PLUGINS} & {*get_resolver().namespace_dict}
assert [kind.value for kind in list_searchable_kinds()] == ["personal", "school"]
assert "approved" in {kind.value for kind in list_kinds()}, "stored answers name it still"

member = User.objects.get(email=email).memberships.get()
chatbot = Chatbot.objects.get(pk=key)
browser, program = signed_in(member), make_program(member)
for name in PAGES:
    page = browser.get(reverse(name), follow=True)
    assert page.status_code == 200, (name, page.status_code)
assert Client().get(reverse("account_login")).status_code == 200

assert browser.get(reverse("chatbots:new-chat", args=[chatbot.pk])).status_code == 200
asked = browser.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": QUESTION}, follow=True)
assert asked.status_code == 200, asked.status_code
finish_answers()
message = Message.objects.get(question=QUESTION)
assert "0.5 mol/l" in message.answer, message.answer
page = browser.get(reverse("chatbots:chat", args=[message.chat_id]))
assert "0.5 mol/l" in page.content.decode()

answer = program.post(f"/api/v1/chatbots/{key}/ask", {"question": QUESTION}, content_type="application/json")
assert answer.status_code == 200 and "0.5 mol/l" in answer.json()["answer"], answer.content
finish_answers()
schema = program.get(reverse("api:schema"), headers={"Accept": "application/json"})
assert schema.status_code == 200
described = schema.json()
assert "/api/v1/chatbots" in described["paths"], sorted(described["paths"])
GONE = ("plans", "openai", "class-links", "approved", "archives", "ask-page", "web-pages")
assert not [path for path in described["paths"] if any(name in path for name in GONE)]
assert {tag["name"] for tag in described["tags"]}.isdisjoint({"learning", "classes", "openai", "approved"})
assert browser.get(reverse("api:docs")).status_code == 200
for path in ("/plans/", "/classes/", "/c/", "/references/", "/lti/platforms/", "/web-pages/add/", "/api/v1/openai"):
    assert browser.get(path).status_code == 404, path
