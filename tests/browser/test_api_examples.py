"""The examples of docs/api.md, run as they stand there against a running server."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from chatbots.models import Chat, Message
from knowledge.models import PersonalDocument
from tests.classrooms.classes import decide
from tests.factories import Cast, make_member

PAGE = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PREPARATION, *SHELL = (code for language, code in BLOCK.findall(PAGE) if language == "sh")
PROGRAMS = {
    "shell": (["bash", "-euo", "pipefail"], "".join(SHELL)),
    "python": (
        [sys.executable],
        "".join(code for language, code in BLOCK.findall(PAGE) if language == "python"),
    ),
    "javascript": (
        ["node", "--input-type=module"],
        "".join(code for language, code in BLOCK.findall(PAGE) if language == "js"),
    ),
}
NEEDED = {"shell": ("bash", "curl", "jq"), "python": (), "javascript": ("node",)}


def token() -> str:
    """Made by the very command that the page names."""
    command = re.search(r"\$\(\S+ manage\.py (.+)\)", PREPARATION)
    assert command
    out = StringIO()
    call_command(*shlex.split(command[1]), stdout=out)
    return out.getvalue().strip()


def test_every_block_is_run() -> None:
    assert {language for language, _ in BLOCK.findall(PAGE)} == {"sh", "python", "js"}
    assert all(f"${name}" in SHELL[0] for name in re.findall(r"export (\w+)=", PREPARATION))


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("language", PROGRAMS)
def test_the_examples_do_what_they_say(language: str, people: Cast, address: str, tmp_path: Path) -> None:
    for program in NEEDED[language]:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed, and the examples for {language} need it")
    member = make_member(people.alice.school, "teacher")
    decide(member.school, goes_without_lead=True)
    command, code = PROGRAMS[language]
    done = subprocess.run(
        command,
        input=code,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "LECTERN_URL": address, "LECTERN_TOKEN": token()},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert PersonalDocument.objects.get(owner=member.user).status == "ready"
    assert "0.5 mol/l" in done.stdout
    assert "Goggles are worn" in done.stdout
    assert Message.objects.filter(chat__participant__user=member.user, mode="grounded", status="done").count() >= 1
    assert Chat.objects.for_member(member).count() >= 2
