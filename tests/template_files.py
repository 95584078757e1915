"""The templates of the core and of all plug-ins."""

from pathlib import Path

from django.conf import settings


def find_templates() -> list[Path]:
    root = Path(settings.BASE_DIR)
    folders = [root / "templates", *(root / label / "templates" for label in settings.PLUGINS)]
    return [path for folder in folders for path in sorted(folder.rglob("*.html"))]
