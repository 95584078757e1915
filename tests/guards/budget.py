"""What the product has grown to, by app, measured from its source in one pass.

    python -m tests.guards.budget [--write]

prints it as the contents of budget.toml, or writes that file. ADR 37 says when a budget may be raised.
"""

from __future__ import annotations

import argparse
import ast
import math
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUDGET = Path(__file__).with_name("budget.toml")
NO_PRODUCT = {"tests", "benchmarks"}
MAX_TEMPLATE_LINE = 160
ROOM = 0.01
"""What an app may gain in lines before its budget is used up, as a share; of all else the budget is the count."""

Counts = dict[str, dict[str, int]]
_SETTING = re.compile(r"LECTERN_[A-Z_]+")
_MODEL_BASES = {"Model", "AbstractUser", "AbstractBaseUser"}


def measure() -> Counts:
    """Measure each app, and under "total" what counts for all of them together."""
    counts: Counts = {}
    total = {"any": 0, "names_in_several_modules": 0, "long_template_lines": 0, "test_lines_per_100": 0}
    defined: dict[str, int] = defaultdict(int)
    classes: list[tuple[str, ast.ClassDef]] = []
    for app in sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - NO_PRODUCT):
        own = counts[app] = dict.fromkeys(("lines", "models", "urls", "settings", "constants"), 0)
        settings: set[str] = set()
        for path in _modules(app):
            text = path.read_text()
            tree = ast.parse(text)
            own["lines"] += text.count("\n")
            own["constants"] += sum(_is_numeric(node) for node in tree.body)
            public = {node.name for node in tree.body if isinstance(node, _NAMED) and node.name[0] != "_"}
            for name in public if path.stem not in _BY_CONVENTION else ():
                defined[name] += 1
            for node in ast.walk(tree):
                if isinstance(node, ast.Name):
                    total["any"] += node.id == "Any"
                elif isinstance(node, ast.ClassDef):
                    classes.append((app, node))
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    own["urls"] += path.stem.endswith("urls") and node.func.id in ("path", "re_path")
                elif (setting := _setting(node)) is not None:
                    settings.add(setting)
        own["settings"] = len(settings)
    for app in _apps_of_models(classes):
        counts[app]["models"] += 1
    folders = [ROOT / "templates", *(ROOT / app for app in counts)]
    lines = (line for folder in folders for path in folder.rglob("*.html") for line in path.read_text().splitlines())
    total["long_template_lines"] = sum(len(line) > MAX_TEMPLATE_LINE for line in lines)
    total["names_in_several_modules"] = sum(count > 1 for count in defined.values())
    tests = sum(path.read_text().count("\n") for path in (ROOT / "tests").rglob("*.py"))
    total["test_lines_per_100"] = 100 * tests // sum(own["lines"] for own in counts.values())
    return {"total": total, **counts}


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BY_CONVENTION = {"urls", "api_urls", "apps", "admin"}


def _modules(app: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts)


def _is_numeric(node: ast.stmt) -> bool:
    """Whether a statement of a module gives a name to a number, or to several."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    parts = [part for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
    return any(type(part.value) in (int, float) for part in parts)


def _setting(node: ast.AST) -> str | None:
    """The variable LECTERN_… that an expression reads, by attribute or by name."""
    if isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        name = node.value
    else:
        return None
    return name if _SETTING.fullmatch(name) else None


def _apps_of_models(classes: list[tuple[str, ast.ClassDef]]) -> Iterator[str]:
    """Yield the app of each model that has a table: a class whose bases lead to a model of Django."""
    models = set(_MODEL_BASES)
    while found := {node.name for _, node in classes if node.name not in models and _bases(node) & models}:
        models |= found
    return (app for app, node in classes if node.name in models and _bases(node) & models and not _is_abstract(node))


def _bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}


def _is_abstract(node: ast.ClassDef) -> bool:
    metas = (part for part in node.body if isinstance(part, ast.ClassDef) and part.name == "Meta")
    return any(ast.unparse(line) in ("abstract = True", "proxy = True") for meta in metas for line in meta.body)


def read_budget() -> Counts:
    return tomllib.loads(BUDGET.read_text())


def render_budget(counts: Counts) -> str:
    """Render counts as a budget: lines with their room, all else as it is."""
    parts = [
        "# Written by `python -m tests.guards.budget --write`. ADR 37: a number may fall; raising one takes a record.\n"
    ]
    for name, own in counts.items():
        given = {key: math.ceil(count * (1 + ROOM)) if key == "lines" else count for key, count in own.items()}
        parts.append(f"[{name}]\n" + "".join(f"{key} = {count}\n" for key, count in given.items()))
    return "\n".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write budget.toml instead of printing it")
    text = render_budget(measure())
    if parser.parse_args().write:
        BUDGET.write_text(text)
    else:
        print(text, end="")
