"""Hostile text on every page that shows text of others, in a real browser under the product's own policy (CSP)."""

from __future__ import annotations

import threading
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from chatbots.models import Message
from tests.attacks import PAYLOADS, P
from tests.browser.conftest import Desk
from tests.factories import Cast, make_chatbot, personal_document, school_document
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser

ALL = "\n\n".join(payload.replace(P, f"{P}{number}") for number, payload in enumerate(PAYLOADS))
"""No line stands in it three times: a model that repeats itself is stopped and asked again."""
SHORT = f"<img src=x onerror={P}>\"'><script>{P}</script>"
DOCUMENT = f"# Acids {SHORT}\n\nHydrochloric acid has 0.5 mol/l. " + "\n\n".join(
    f"## Acid {number} {payload.splitlines()[0][:150]}\n\nHydrochloric acid number {number}. {payload}"
    for number, payload in enumerate(PAYLOADS)
)
WATCH = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""
LOOK = """() => ({
  ran: window.__pwned,
  violations: window.__violations,
  elements: [...document.querySelectorAll(
    "main script, main iframe, main object, main embed, main style, main base, main meta, main link, main img, "
    + "main video, main audio, main marquee, main template, main maction, "
    + "main [style], main [srcdoc], main [xlink\\\\:href]"
  )].map((element) => element.outerHTML.slice(0, 200)),
  handlers: [...document.querySelectorAll("main *")].flatMap((element) => [...element.attributes])
    .filter((one) => /^(on|hx-on|formaction|ping)/.test(one.name))
    .filter((one) => !(one.name === "formaction" && /^\\/(?!\\/)/.test(one.value)  // a button of ours
      && !one.ownerElement.closest(".block-text, .answer, .notes"))).map((one) => `${one.name}=${one.value}`),
  foreign: [...document.querySelectorAll("main *")].filter((element) => !element.closest(".block-text"))
    .flatMap((element) => ["href", "src", "action", "hx-get", "hx-post", "hx-delete", "sse-connect"]
      .map((name) => element.getAttribute(name)))
    .filter((value) => value && !/^([#?]|\\/(?!\\/)|$)/.test(value)),
  unsafe: [...document.querySelectorAll("main .block-text a[href]")].map((link) => [link.protocol, link.rel].join(" "))
    .filter((one) => !/^(https?|mailto): noopener noreferrer$/.test(one)),
})"""


def nothing_got_through(page: Page, where: str) -> None:
    found = page.evaluate(LOOK)
    assert found.pop("ran") is None, where
    assert found == {"violations": [], "elements": [], "handlers": [], "foreign": [], "unsafe": []}, where


def test_hostile_text_runs_nothing_and_reaches_nobody(desk: Desk, people: Cast, model: type[ScriptedLLM]) -> None:
    own = personal_document(people.alice, DOCUMENT, f"{SHORT[:40].replace('/', '')}.md", title=SHORT)
    library = school_document(people.carol, DOCUMENT[:3000].replace("Acid", "Base"), "bases.md", title=SHORT)
    chatbot = make_chatbot(
        people.alice,
        personal=[own],
        school=[library],
        name=SHORT,
        description=ALL[:290],
        instructions=ALL[:3000],
    )
    half, rest = threading.Event(), threading.Event()
    model.enqueue([f"Hydrochloric acid has 0.5 mol/l [1]. {ALL}", half, " The end [1].", rest])

    page = desk.sign_in(people.alice)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.on("dialog", lambda dialog: requested.append(f"a dialog: {dialog.message}"))
    page.add_init_script(WATCH)

    page.goto(reverse("chatbots:new-chat", args=[chatbot.pk]))
    nothing_got_through(page, "a new conversation")
    page.fill("#question", f"How strong is hydrochloric acid? {ALL[:1900]}")
    page.click(".composer button")
    expect(page.locator(".answer-text")).to_contain_text("Hydrochloric acid has")
    expect(page.locator(".note").first).to_be_visible()
    nothing_got_through(page, "while it is written")
    assert page.locator(".answer-text :is(script, style, iframe, img, svg, form, input, object)").count() == 0
    early = page.locator(".answer-text a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert all(link.startswith("#note-") for link in early), early
    half.set()
    rest.set()
    expect(page.locator(".answer[data-finished]")).to_be_visible()
    expect(page.locator(".checking")).to_have_count(0)
    nothing_got_through(page, "the answer as it comes")
    message = Message.objects.get()
    links = page.locator(".answer a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert links
    assert set(links) <= {f"#note-{pk}" for pk in message.sources.values_list("pk", flat=True)}

    source = message.sources.order_by("number").first()
    assert source
    for where, url in {
        "the conversation": reverse("chatbots:chat", args=[message.chat_id]),
        "what the model was given": reverse("chatbots:given-prompt", args=[message.pk]),
        "a source": reverse("chatbots:source", args=[source.pk]),
        "a document": reverse("knowledge:detail", args=[own.pk]),
        "its second part": reverse("knowledge:detail", args=[own.pk]) + "?part=2",
        "a library document": reverse("school_library:detail", args=[library.pk]),
        "own documents": reverse("knowledge:list"),
        "the library": reverse("school_library:list"),
        "chatbots": reverse("chatbots:list"),
        "the form of a chatbot": reverse("chatbots:edit", args=[chatbot.pk]),
        "a conversation to print": reverse("chatbots:print-chat", args=[message.chat_id]),
        "its new name": reverse("chatbots:rename-chat", args=[message.chat_id]),
    }.items():
        page.goto(url)
        nothing_got_through(page, where)
    wait_for(lambda: Message.objects.filter(status="done").exists())
    assert {urlsplit(url).netloc for url in requested} == {urlsplit(desk.address).netloc}
