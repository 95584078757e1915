"""Converts an embedding model once and stores the result for all processes of an installation."""

import fcntl
import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.embedding.models import (
    DEFAULT,
    DEFAULT_PRECISION,
    model_folder,
    model_label,
    require_pytorch,
)

PREPARED = Path(__file__).resolve().parent / "prepared"
"""The default model as `engines.embedding.prepare` has made it ready for an image. Elsewhere not there."""

RECIPE = 2
"""Of the conversion: a change makes new files, and a change of the vectors needs a new precision's name."""
_SECONDS = 900
_PROJECT = Path(__file__).resolve().parent.parent.parent

logger = logging.getLogger(__name__)


class ConversionFailed(Exception):
    """The model cannot be converted. The message says why, and what to delete to try again."""


def converted_model(model: str, precision: str, into: Path) -> Path:
    """Return the folder in `into` with `model` converted to `precision` ("fp32" or "int8"). The first call is slow.

    If several processes call at once, one converts and the others wait. A failure is stored too, so that all
    processes agree. Raises ConversionFailed; EmbeddingUnavailable when the model is not on this machine, or PyTorch is
    not, which converts it.
    """
    if model == DEFAULT:
        if PREPARED.is_dir():
            return PREPARED
        precision = DEFAULT_PRECISION
    else:
        require_pytorch(model, f"in the precision {precision}")
    target = into / _file_name(model, precision)
    if target.is_dir():
        return target
    try:
        into.mkdir(parents=True, exist_ok=True)
        with (into / f"{target.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.is_dir():
                _convert(model, precision, target)
    except OSError as error:
        raise ConversionFailed(f"{into} cannot be written: {error}") from error
    return target


def _file_name(model: str, precision: str) -> str:
    """Return a name that depends on the model's files and on the versions of the libraries that convert it."""
    folder = model_folder(model)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stats = [(str(path.relative_to(folder)), path.stat()) for path in files]
    packages = ("sentencepiece",) if model == DEFAULT else ("sentence-transformers", "torch")
    facts = [
        *((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats),
        *(version(package) for package in ("onnxruntime", *packages)),
        RECIPE,
    ]
    key = hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
    return f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model_label(model))}-{precision}-{key}"


def _convert(model: str, precision: str, target: Path) -> None:
    """Run the conversion in a process of its own, so that PyTorch's memory is freed. Rename the folder at the end."""
    failure = target.parent / f"{target.name}.failed"
    again = f"To have it tried again, delete {failure} and start again."
    if failure.exists():
        raise ConversionFailed(f"{failure.read_text(encoding='utf-8')}. {again}")
    # Of a process that was killed; the lock is ours.
    for left_over in target.parent.glob(f".{target.name}-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    logger.info("Converting the embedding model %s, once; this takes some ten seconds.", model_label(model))
    started = time.monotonic()
    with TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent, ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        reason = _run(model, precision, scratch).rstrip(".")
        if reason:
            failure.write_text(reason, encoding="utf-8")
            raise ConversionFailed(f"{reason}. {again}")
        scratch.chmod(0o755)
        scratch.rename(target)
    logger.info("Converted the embedding model in %.0f seconds.", time.monotonic() - started)


def _run(model: str, precision: str, folder: Path) -> str:
    """Return why the model cannot be converted, "" when it has been. Raises ConversionFailed if it may work later."""
    made_by = ["multilingual"] if model == DEFAULT else ["conversion", model, precision]
    command = [sys.executable, "-m", f"engines.embedding.{made_by[0]}", *made_by[1:], str(folder)]
    reading, writing = os.pipe()  # closes when this process ends, and the conversion ends too
    try:
        done = subprocess.run(
            command,
            cwd=_PROJECT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"It took longer than {_SECONDS} seconds."
    finally:
        os.close(reading)
        os.close(writing)
    if done.returncode < 0:
        signal = -done.returncode
        raise ConversionFailed(f"The conversion was stopped by signal {signal}; memory may be short.")
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["No reason given."])[-1]


def end_with_parent() -> None:
    """End this process, which converts, when the one that started it ends and closes the pipe to it."""

    def wait() -> None:
        os.read(0, 1)  # nothing is ever written
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
