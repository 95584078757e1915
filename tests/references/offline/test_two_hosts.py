"""One host that cannot read an archive says so, and switches nothing off for another one over the same database."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from pytest_django import Settings

from chatbots.models import Chatbot, Message, Mode
from chatbots.services import set_kinds
from corpus.source_kinds import Participation
from references.models import Archive, ArchiveState, ReferenceSettings
from references.offline import opened
from references.offline.opened import find_problem, index_path, open_archive
from references.offline.zim import ZimError
from tests.factories import Cast, cast, make_chatbot, make_message
from tests.references.offline import zim_files
from tests.references.offline.archives import add
from tests.workers import environment

QUESTION = "Why is the sky orange at sunset?"

ASK = """
from chatbots.models import Message
from chatbots.streaming import jobs
[message] = Message.objects.all()
jobs.start(message).wait()
message.refresh_from_db()
print("::", message.status, message.unavailable, message.notice)
"""


def reader_of_archives(people: Cast) -> Chatbot:
    """A chatbot that reads archives and nothing else."""
    ReferenceSettings.objects.create(school=people.alice.school, allows_wikipedia_offline=True)
    chatbot = make_chatbot(people.alice)
    set_kinds(chatbot, {"wikipedia_offline": (Participation.FILLS_IN, 0)})
    return chatbot


def manage_there(folder: Path, *arguments: str) -> str:
    """What a command says on another host: a process with a folder of its own, over the same database."""
    ran = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=django_settings.BASE_DIR,
        env=environment(LECTERN_DATA=str(folder)),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.django_db(transaction=True)
def test_a_host_without_the_files_says_so_and_the_other_goes_on(archive: Archive, tmp_path: Path) -> None:
    people = cast()
    chatbot = reader_of_archives(people)
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    there = tmp_path / "there"
    assert "this server cannot read it: There is no title index" in manage_there(there, "list_zims")
    said = manage_there(there, "shell", "-c", ASK).partition("::")[2]
    assert said.split()[:2] == ["failed", "['wikipedia_offline']"] and "could not be searched" in said
    assert Archive.objects.get().state == ArchiveState.READY
    here = make_message(people.alice, chatbot, QUESTION)
    assert (here.mode, here.unavailable) == (Mode.GROUNDED, [])
    assert Message.objects.get(pk=message.pk).unavailable == ["wikipedia_offline"]


@pytest.mark.django_db
def test_what_the_other_archives_say_is_told_with_what_is_missing(archive: Archive, tmp_path: Path) -> None:
    pages = {"Comet": "<h1>Comet</h1><p>A comet has a tail of dust and gas.</p>"}
    Path(add(zim_files.write(tmp_path / "comets.zim", zim_files.of_pages(pages, Name="comets"))).path).unlink()
    people = cast()
    chatbot = reader_of_archives(people)
    found = make_message(people.alice, chatbot, QUESTION)
    assert (found.mode, found.unavailable) == (Mode.GROUNDED, ["wikipedia_offline"])
    missing = make_message(people.alice, chatbot, "What is the tail of a comet made of?")
    assert missing.status == "failed" and "could not be searched" in missing.notice, "no silent refusal"


@pytest.mark.django_db
def test_it_is_read_again_as_soon_as_its_file_is_back(archive: Archive, settings: Settings, tmp_path: Path) -> None:
    folder = settings.DATA_DIR
    settings.DATA_DIR = tmp_path / "another"
    assert "There is no title index" in find_problem(archive)
    with pytest.raises(ZimError, match="There is no title index"):
        open_archive(archive)
    settings.DATA_DIR = folder
    assert find_problem(archive) == ""
    index = index_path(archive.uuid)  # type: ignore[arg-type]
    shutil.move(index, tmp_path / "away")
    assert find_problem(archive)
    shutil.move(tmp_path / "away", index)
    assert find_problem(archive) == ""


@pytest.mark.django_db
def test_a_damaged_one_is_left_alone_for_some_minutes(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1000.0]
    monkeypatch.setattr("references.offline.opened.time.monotonic", lambda: now[0])
    assert find_problem(archive) == ""
    opened.note_failure(archive, "It is damaged.")
    assert find_problem(archive) == find_problem(archive) == "It is damaged."
    assert len(caplog.records) == 1, "and it is logged once"
    now[0] += opened.RETRY_SECONDS
    assert find_problem(archive) == ""
