"""A file that is known already, by its content or its name, is offered as an update; both can be kept (D7)."""

from html import unescape

from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from corpus.ingestion import uploads
from corpus.models import Status
from knowledge.models import PersonalDocument
from tests import scans
from tests.factories import ACIDS, Cast, index_all, make_file, personal_document

CHANGED = ACIDS.replace("0.5", "0.1")


def address(page: str, document: PersonalDocument) -> str:
    return reverse(f"knowledge:{page}", args=[document.pk])


def send(client: Client, text: str, name: str) -> str:
    response = client.post(reverse("knowledge:upload"), {"files": make_file(text, name)}, follow=True)
    return " ".join(str(message) for message in response.context["messages"])


def test_the_same_file_can_be_kept_twice(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    link = f"{address('copy', document)}?name=for+B%26C.md"
    assert f'href="{link}"' in unescape(send(alice, ACIDS, "for B&C.md"))
    page = alice.get(link).content.decode()
    assert "Keep both?" in page
    assert PersonalDocument.objects.count() == 1
    action = page.split('action="' + address("copy", document))[1].split('"')[0]
    response = alice.post(address("copy", document) + unescape(action))
    second = PersonalDocument.objects.get(title="for B&C")
    assert response.headers["Location"] == address("detail", second)
    assert second.newest.content_hash == document.newest.content_hash
    assert second.newest.file.name != document.newest.file.name
    index_all()
    second.refresh_from_db()
    assert (second.status, second.chunk_count) == (Status.READY, document.chunk_count)


def key_in(page: str) -> str:
    return page.split('name="key" value="')[1].split('"')[0]


def test_a_double_click_keeps_one_copy(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    key = key_in(alice.get(address("copy", document)).content.decode())
    answers = [alice.post(address("copy", document), {"key": key}) for _ in range(2)]
    assert PersonalDocument.objects.count() == 2
    second = PersonalDocument.objects.exclude(pk=document.pk).get()
    assert {answer.headers["Location"] for answer in answers} == {address("detail", second)}
    key = key_in(alice.get(address("copy", document)).content.decode())
    alice.post(address("copy", document), {"key": key})
    assert PersonalDocument.objects.count() == 3


def test_the_id_of_a_colleagues_document_is_not_taken_for_a_copy(alice: Client, cast: Cast) -> None:
    document, theirs = personal_document(cast.alice), personal_document(cast.bob)
    response = alice.post(address("copy", document), {"key": theirs.pk})
    second = PersonalDocument.objects.for_member(cast.alice).exclude(pk=document.pk).get()
    assert response.headers["Location"] == address("detail", second)
    theirs.refresh_from_db()
    assert theirs.owner_id == cast.bob.user_id


def test_a_changed_file_becomes_the_new_version_of_its_namesake(alice: Client, cast: Cast) -> None:
    old = personal_document(cast.alice, title="Acids of year 9")
    send(alice, CHANGED, "acids.md")
    index_all()
    second = PersonalDocument.objects.exclude(pk=old.pk).get()
    page = alice.get(address("merge", second)).content.decode()
    assert "A new version of “Acids of year 9”?" in page
    assert f'value="{old.pk}"' in page
    response = alice.post(address("merge", second), {"into": old.pk})
    assert response.headers["Location"] == address("detail", old)
    assert PersonalDocument.objects.get() == old
    old.refresh_from_db()
    assert (old.version, old.answering_version, old.status) == (2, 1, Status.QUEUED)
    index_all()
    assert "0.1 mol/l" in alice.get(address("detail", old)).content.decode()
    assert old.versions.get(number=2).file.read().decode() == CHANGED


def test_the_history_of_a_merged_document_goes_along(alice: Client, cast: Cast) -> None:
    old = personal_document(cast.alice, title="Acids of year 9")
    second = personal_document(cast.alice, ACIDS.replace("0.5", "0.2"), "acids.md")
    uploads.replace(second, make_file(CHANGED, "acids.md"), by=cast.alice.user)
    index_all()
    alice.post(address("merge", second), {"into": old.pk})
    assert [version.number for version in old.versions.all()] == [3, 2, 1]
    assert "being read" in alice.get(address("detail", old)).content.decode()
    index_all()
    old.refresh_from_db()
    assert (old.version, old.answering_version, old.status) == (3, 3, Status.READY)
    assert old.chunks.filter(text__contains="0.1 mol/l").exists()


def test_taking_a_merge_back_leaves_what_answered_before(alice: Client, cast: Cast) -> None:
    old = personal_document(cast.alice, title="Acids of year 9")
    second = personal_document(cast.alice, ACIDS.replace("0.5", "0.2"), "acids.md")
    uploads.replace(second, make_file(CHANGED, "acids.md"), by=cast.alice.user)
    index_all()
    alice.post(address("merge", second), {"into": old.pk})
    assert uploads.cancel(old)
    old.refresh_from_db()
    assert (old.version, old.answering_version, old.status) == (1, 1, Status.READY)


def test_a_namesake_is_known_by_its_title_too(alice: Client, cast: Cast) -> None:
    personal_document(cast.alice, title="Acids of Year 9")
    assert "has the same name as" in send(alice, CHANGED, "acids_of_year_9.md")


def test_a_colleagues_document_is_neither_namesake_nor_target(alice: Client, cast: Cast) -> None:
    theirs = personal_document(cast.bob)
    assert "has the same name as" not in send(alice, CHANGED, "acids.md")
    mine = PersonalDocument.objects.for_member(cast.alice).get()
    assert alice.post(address("merge", mine), {"into": theirs.pk}).status_code == 404
    assert alice.get(address("merge", mine)).headers["Location"] == address("detail", mine)
    assert PersonalDocument.objects.count() == 2


def test_a_document_does_not_become_a_version_of_itself(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    alice.post(address("merge", document), {"into": document.pk})
    document.refresh_from_db()
    assert document.version == 1


def test_the_file_that_is_in_place_is_no_new_version(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    response = alice.post(address("replace", document), {"file": make_file(ACIDS, "again.md")})
    assert response.status_code == 422
    words = "This is the same file as the one in place; nothing was changed."
    assert words in response.content.decode()
    document.refresh_from_db()
    assert (document.version, document.versions.count(), document.status) == (1, 1, Status.READY)


def test_the_very_file_that_failed_is_read_again(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, b"%PDF-1.7 and then nothing", "notes.pdf")
    assert document.status == Status.FAILED
    again = {"file": make_file(b"%PDF-1.7 and then nothing", "notes.pdf")}
    response = alice.post(address("replace", document), again, follow=True)
    assert "has this file already. It is read again" in response.content.decode()
    document.refresh_from_db()
    assert (document.version, document.status) == (1, Status.QUEUED)


def test_a_file_with_pages_that_could_not_be_read_is_read_again(alice: Client, cast: Cast, settings: Settings) -> None:
    settings.LECTERN_TESSERACT = "not-installed"
    file = scans.pdf(["Goggles are worn."], scans.page(["Splashes are rinsed at once."]))
    document = personal_document(cast.alice, file, "notes.pdf")
    assert document.newest.notes
    response = alice.post(address("replace", document), {"file": make_file(file, "notes.pdf")}, follow=True)
    assert "has this file already. It is read again" in response.content.decode()
    document.refresh_from_db()
    assert (document.version, document.answering_version, document.status) == (1, 1, Status.QUEUED)


def test_the_very_file_that_got_lost_on_the_disk_is_taken_in(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    document.newest.file.storage.delete(document.newest.file.name)
    assert alice.post(address("replace", document), {"file": make_file()}).status_code == 302
    document.refresh_from_db()
    assert (document.version, document.newest.file.read().decode()) == (2, ACIDS)


def test_of_a_namesake_of_another_kind_both_files_are_named(alice: Client, cast: Cast) -> None:
    old = personal_document(cast.alice, "<h1>Acids</h1><p>Of acids.</p>", "acids.html")
    told = send(alice, CHANGED, "acids.md")
    assert "(acids.md) has the same name as" in told
    assert "(acids.html). It was added" in told
    second = PersonalDocument.objects.exclude(pk=old.pk).get()
    page = alice.get(address("merge", second)).content.decode()
    assert "The file “acids.md” becomes the new version" in page
    assert "Its file so far is “acids.html”, in another format." in page


def test_of_a_namesake_of_the_same_kind_no_kinds_are_named(alice: Client, cast: Cast) -> None:
    old = personal_document(cast.alice)
    assert "(acids.md)" not in send(alice, CHANGED, "acids.md")
    second = PersonalDocument.objects.exclude(pk=old.pk).get()
    assert "another format" not in alice.get(address("merge", second)).content.decode()
