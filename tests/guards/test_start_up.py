"""Starting stays light, and the migrations are complete."""

import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "onnxruntime",
    "onnx",
    "tokenizers",
    "pypdfium2",
    "docx",
    "pptx",
    "openpyxl",
    "lxml",
    "openai",
    "libzim",
}


def test_importing_everything_that_serves_a_page_loads_no_heavy_library() -> None:
    code = (
        "import django, sys; django.setup(); import config.urls, corpus.tasks, chatbots.streaming.jobs; "
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "--check", "--dry-run")


@pytest.mark.django_db
@pytest.mark.parametrize("table", ["knowledge_personalchunk", "school_library_schoolchunk"])
def test_what_every_search_reads_stands_in_line(table: str) -> None:
    """The migration says this in SQL, which is in no model's state: nothing else would notice that it is missing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attstorage FROM pg_attribute WHERE attrelid = %s::regclass"
            " AND attname IN ('embedding', 'search', 'text') ORDER BY attname",
            [table],
        )
        assert cursor.fetchall() == [("embedding", "p"), ("search", "m"), ("text", "e")]
        cursor.execute("SELECT reloptions FROM pg_class WHERE oid = %s::regclass", [table])
        assert cursor.fetchall() == [(["toast_tuple_target=128"],)]
