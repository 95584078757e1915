"""Conversations that the pictures show: asked once through the page, found again at the next run."""

from __future__ import annotations

from playwright.sync_api import Page

QUESTIONS = {
    "pdf": ("Physics tutor", "What is the spring constant of the green springs of S3?"),
    "refusal": ("Chemistry 9 helper", "Who won the football world cup in 1954?"),
    "note": (
        "Chemistry 9 helper",
        "Do pupils need goggles when they only dilute acids, and how strong may the acid be?",
    ),
}
"""A chatbot of the demo and a question: one answered from a PDF, one that no document answers, one with two kinds."""


def conversations(page: Page) -> dict[str, str]:
    """The path of a conversation for each of QUESTIONS, as the teacher whose `page` it is."""
    return {name: conversation(page, chatbot, question) for name, (chatbot, question) in QUESTIONS.items()}


def conversation(page: Page, chatbot: str, question: str) -> str:
    """The path of a conversation of the chatbot in which this was asked and answered."""
    page.goto("/chatbots/")
    page.locator(".row h2 a", has_text=chatbot).first.click()
    page.wait_for_url("**/chatbots/*/")
    asked = page.locator(".chats a", has_text=question[:30])
    if asked.count():
        asked.first.click()
        page.wait_for_url("**/chats/*/")
    else:
        page.fill("textarea[name=question]:visible", question)
        page.click(".composer button")
        page.wait_for_url("**/chats/*/")
        page.locator(".turn .tools:visible").last.wait_for()
        page.locator(".writing").wait_for(state="detached")
    return page.evaluate("location.pathname")  # type: ignore[no-any-return]
