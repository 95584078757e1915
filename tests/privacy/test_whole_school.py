"""A whole school, exported by the operator and erased with a certificate."""

from __future__ import annotations

import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from pytest_django import Settings

from accounts.models import IdentityProvider
from chatbots.models import Chatbot, Message
from privacy.whole_school import export_school, list_tables
from school_library.models import SchoolDocument
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.models import Membership, School, User
from tests.classrooms.classes import come_in, make_asked, open_class
from tests.classrooms.test_erasing import tables_with
from tests.factories import Cast, make_chatbot, make_message, make_token, personal_document, school_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
SECRET, OTHER = "quivertassel", "marblewick"


@pytest.fixture
def full(people: Cast, chatbot: Chatbot, model: Model) -> School:
    """Riverside with something of everybody, and Hillcrest beside it."""
    make_message(people.alice, chatbot, question=f"Where is {SECRET}?")
    _, pupil = come_in(open_class(people.alice, chatbot))
    make_asked(pupil, chatbot, f"And {SECRET}?")
    make_token(people.alice)
    personal_document(people.bob, f"# Own\n\nBob knows {SECRET}.\n", "bobs.md")
    elsewhere = make_chatbot(people.charlie)
    make_message(people.charlie, elsewhere, question=f"Where is {OTHER}?")
    school_document(people.chloe, f"# Library\n\n{OTHER} is here.\n", "hill.md")
    return people.alice.school


def list_files(school: School) -> set[str]:
    documents = SchoolDocument.objects.filter(school=school)
    return {str(version.file) for document in documents for version in document.versions.all()}


def run(name: str, *arguments: Any) -> str:
    said = StringIO()
    call_command(name, *map(str, arguments), stdout=said)
    return said.getvalue()


def test_everything_of_the_school_is_in_the_file_and_nothing_of_another(
    full: School, people: Cast, tmp_path: Path
) -> None:
    path = tmp_path / "school.zip"
    assert "rows and" in run("export_school", full.slug, path)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        texts = {name: archive.read(name).decode(errors="replace") for name in names}
    together = "\n".join(texts.values())
    for table in ("chatbots_message", "classrooms_pupil", "knowledge_personaldocument", "schools_auditentry"):
        lines = texts[f"records/{table}.jsonl"].splitlines()
        assert lines and all(json.loads(line)["school_id"] == str(full.pk) for line in lines), table
    assert together.count(SECRET) >= 3 and OTHER not in together
    assert people.alice.user.email in texts["people.json"] and people.charlie.user.email not in together
    assert not any(secret in together for secret in ("digest", people.alice.user.password, '"embedding"'))
    assert any(name.startswith("files/") and SECRET in texts[name] for name in names)
    assert path.stat().st_mode & 0o077 == 0
    assert AuditEntry.objects.filter(action=Action.SCHOOL_EXPORTED, school=full).count() == 1


def test_files_that_cannot_be_reached_are_named_in_the_file(full: School, tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "of another host"
    run("export_school", full.slug, tmp_path / "school.zip")
    with zipfile.ZipFile(tmp_path / "school.zip") as archive:
        assert not any(name.startswith("files/") for name in archive.namelist())
        missing = archive.read("NOT-REACHED.txt").decode()
    assert list_files(full) and all(f"files/{name}" in missing for name in list_files(full))


def test_every_table_of_a_school_is_exported(full: School) -> None:
    exported = {model for model, _ in list_tables(full)}
    with_school = {
        model
        for model in apps.get_models()
        if any(field.is_relation and field.related_model is School for field in model._meta.concrete_fields)
    }
    assert with_school <= exported and len(exported) > 30


def test_a_file_is_not_written_over(full: School, tmp_path: Path) -> None:
    path = tmp_path / "school.zip"
    path.write_text("kept")
    with pytest.raises(CommandError, match="exists already"):
        run("export_school", full.slug, path)
    assert path.read_text() == "kept"
    with pytest.raises(CommandError, match="could not be written"):
        run("export_school", full.slug, tmp_path / "nowhere" / "school.zip")
    with pytest.raises(CommandError, match=r"no school “nowhere”.*hillcrest"):
        run("export_school", "nowhere", tmp_path / "other.zip")


def test_a_school_is_erased_with_a_certificate(
    full: School, people: Cast, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    there = Membership.objects.create(school=people.charlie.school, user=people.bob.user)
    own, others = list_files(full), list_files(people.charlie.school)
    assert own and others and all(map(default_storage.exists, own | others))
    path = tmp_path / "certificate.json"
    with django_capture_on_commit_callbacks(execute=True):
        run("erase_school", full.slug, "--name", full.name, "--certificate", path)
    told = json.loads(path.read_text())
    assert told["counts"]["accounts"] == 2 and told["counts"]["schools"] == 1 and told["files"] and told["backups"]
    assert people.alice.user.email not in path.read_text()
    assert not School.objects.filter(pk=full.pk).exists() and not tables_with(SECRET)
    assert set(User.objects.values_list("pk", flat=True)) >= {people.bob.user_id, people.charlie.user_id}
    assert not User.objects.filter(pk=people.alice.user_id).exists() and Membership.objects.filter(pk=there.pk).exists()
    assert Message.objects.filter(question__contains=OTHER).exists()
    assert all(map(default_storage.exists, others)) and not any(map(default_storage.exists, own))


@pytest.mark.parametrize("name", ["Hillcrest", "riverside", ""])
def test_the_name_confirms_it(name: str, full: School, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Nothing was erased"):
        run("erase_school", full.slug, "--name", name, "--certificate", tmp_path / "c.json")
    assert School.objects.filter(pk=full.pk).exists() and not (tmp_path / "c.json").exists()


def test_without_the_name_it_only_says_how_much_there_is(full: School) -> None:
    said = run("erase_school", full.slug)
    assert "messages" in said and "Nothing was erased" in said
    assert School.objects.filter(pk=full.pk).exists()


def test_nothing_is_erased_without_a_certificate(full: School, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("kept")
    for path, words in ((tmp_path / "c.json", "exists already"), (tmp_path / "no" / "c.json", "could not be written")):
        with pytest.raises(CommandError, match=words):
            run("erase_school", full.slug, "--name", full.name, "--certificate", path)
    assert School.objects.filter(pk=full.pk).exists() and Message.objects.exists()


def test_no_client_secret_of_a_provider_is_in_the_file(people: Cast, tmp_path: Path) -> None:
    school = people.alice.school
    IdentityProvider.objects.create(
        school=school,
        name="X",
        issuer="https://x.example",
        client_id="id",
        secret="sealed-words",
        domains=["x.example"],
    )
    with (tmp_path / "school.zip").open("w+b") as file:
        export_school(school, file)
        with zipfile.ZipFile(file) as archive:
            text = "".join(archive.read(name).decode(errors="replace") for name in archive.namelist())
    assert "https://x.example" in text and "sealed-words" not in text
