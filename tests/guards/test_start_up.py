"""Starting stays light, and the migrations are complete."""

import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import call_command

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
}


def test_importing_everything_that_serves_a_page_loads_no_heavy_library() -> None:
    code = (
        "import django, sys; django.setup(); import config.urls, corpus.tasks, chatbots.live; "
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "--check", "--dry-run")
