"""The product in a real browser: uvicorn in a thread of the test, a Celery worker of its own, headless Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import uvicorn
from django.conf import settings as django_settings
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright
from pytest_django import DjangoDbBlocker, Settings

from config.handler import Handler
from schools.models import Membership
from tests.factories import PASSWORD, Cast, cast, finish_answers
from tests.running import free_port, wait_for

# Playwright runs an event loop in the test's thread; Django would refuse the database there.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

expect.set_options(timeout=30_000)  # on a busy machine

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs that the tests can drive, the quickest first: the shell has the same engine and no windows. The environment
variable LECTERN_TEST_BROWSER names another one, by name or path."""


def find_browser(playwrights_own: str) -> str | None:
    """The program to drive. One that was named must be there."""
    named = os.environ.get("LECTERN_TEST_BROWSER")
    found = next(filter(None, map(shutil.which, [named] if named else [*BROWSERS, playwrights_own])), None)
    assert found or not named, f"LECTERN_TEST_BROWSER names {named}, and there is no such program."
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium. Of a module, since Playwright leaves an event loop in this thread until it is stopped, and
    Django's test client refuses to work beside one."""
    quiet = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-sync",
    ]
    with sync_playwright() as playwright:
        program = find_browser(playwright.chromium.executable_path)
        if not program:
            pytest.skip("no Chromium here: apt install chromium-headless-shell, or chromium")
        yield playwright.chromium.launch(executable_path=program, args=quiet)


@pytest.fixture(scope="session")
def address(django_db_setup: None) -> Iterator[str]:
    """Where the product is served, by uvicorn as in production."""
    port = free_port()
    application = ASGIStaticFilesHandler(Handler())
    config = uvicorn.Config(application, port=port, lifespan="off", log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(120)


@pytest.fixture(scope="module")
def worker(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[subprocess.Popen[bytes]]:
    """A real Celery worker on the test database, while a module needs it: elsewhere tests index by themselves."""
    with django_db_blocker.unblock():
        database = connection.settings_dict
    host = quote(str(database["HOST"]), safe="")
    url = f"postgres://{database['USER']}@{host}/{database['NAME']}"
    log = Path(django_settings.DATA_DIR) / f"worker-{database['NAME']}.log"
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "config",
        "worker",
        "--pool",
        "solo",
        "--loglevel",
        "INFO",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=django_settings.BASE_DIR,
            env={**os.environ, "DATABASE_URL": url},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    wait_for(lambda: b"ready." in log.read_bytes() or process.poll() is not None, 180)
    assert process.poll() is None, log.read_text()
    yield process
    process.terminate()
    process.wait(120)


@pytest.fixture
def people(transactional_db: None, settings: Settings) -> Iterator[Cast]:
    # The worker is another process: files must lie where it looks for them.
    settings.MEDIA_ROOT = Path(settings.DATA_DIR) / "files"
    yield cast()
    finish_answers()


@dataclass
class Desk:
    """Signs people in, each in a browser window of their own; fails the test on errors in a page's scripts."""

    browser: Browser
    address: str
    errors: list[str]
    contexts: list[BrowserContext]

    def open(self, **options: Any) -> Page:
        context = self.browser.new_context(base_url=self.address, **options)
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)
        return page

    def _note(self, said: ConsoleMessage) -> None:
        """Errors, but for those of htmx about requests that were under way when the page was left."""
        left = ("htmx:sendAbort", "htmx:afterRequest")
        if said.type == "error" and not said.text.startswith(left):
            self.errors.append(said.text)

    def sign_in(self, member: Membership, **options: Any) -> Page:
        """A window of somebody who has signed in before."""
        client = Client()
        client.force_login(member.user, "django.contrib.auth.backends.ModelBackend")
        page = self.open(**options)
        session = client.cookies[django_settings.SESSION_COOKIE_NAME].value
        cookie = {"name": django_settings.SESSION_COOKIE_NAME, "value": session, "url": self.address}
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto("/chatbots/")
        return page

    def sign_in_by_form(self, member: Membership, **options: Any) -> Page:
        page = self.open(**options)
        page.goto("/accounts/login/")
        page.fill("[name=login]", member.user.email)
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.wait_for_url("**/chatbots/")
        return page


@pytest.fixture
def desk(browser: Browser, address: str, people: Cast) -> Iterator[Desk]:
    desk = Desk(browser, address, [], [])
    yield desk
    for context in desk.contexts:
        context.close()
    assert not desk.errors
