"""Whether PyTorch is installed. Only models other than the default ones need it (ADR 8).

Imports nothing. The embedder and the reader may import it.
"""

from importlib.metadata import PackageNotFoundError, version

_DISTRIBUTIONS = ("torch", "transformers", "sentence-transformers", "onnx")

HOW_TO_GET = (
    "In containers put LECTERN_TARGET=any-model into .env and run “docker compose up -d --build”; elsewhere install "
    "torch, sentence-transformers and onnx beside Lectern, or Lectern itself with “make run”."
)


def describe_missing(what: str) -> str:
    """Return a sentence that says what `what` lacks and how to get it, "" if PyTorch and its libraries are installed.

    Asks for the installed distributions, so that nothing is imported, which would take seconds.
    """
    missing = [name for name in _DISTRIBUTIONS if not _is_installed(name)]
    return f"{what} needs {', '.join(missing)}, which this installation leaves out. {HOW_TO_GET}" if missing else ""


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
