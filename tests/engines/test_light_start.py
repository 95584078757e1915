"""Importing the engines costs nothing: torch alone takes seconds and 400 MB."""

import subprocess
import sys
from pathlib import Path

import engines

HEAVY = {"torch", "transformers", "sentence_transformers", "tokenizers", "huggingface_hub", "openai", "httpx"}


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    root = Path(engines.__path__[0]).parent
    paths = [path for name in ("engines", "text") for path in (root / name).rglob("[!_]*.py")]
    modules = sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in paths)
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert set(modules) <= loaded
    assert not HEAVY & loaded
