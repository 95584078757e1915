"""Which room may import which: the picture of docs/architecture.md, held by a test."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

ARROWS: dict[str, set[str]] = {
    "operations": set(),
    "engines": set(),
    "schools": set(),
    "rest": {"schools"},
    "corpus": {"engines", "rest", "schools"},
    "knowledge": {"corpus", "schools"},
    "school_library": {"corpus", "schools"},
    "chatbots": {"knowledge", "school_library", "corpus", "engines", "rest", "schools"},
    "demo": {"chatbots", "knowledge", "school_library", "corpus", "schools"},
    # Settings ask `operations` where the embedded services are, asgi warms the embedder, a body that is too large is a
    # problem like any other; the rest is named as strings.
    "config": {"operations", "corpus", "rest"},
}

# Inside an app: what a module may not import from its own app.
LAYERS = {
    "models": {"views", "services", "api", "tasks", "forms"},
    "services": {"views", "api", "forms", "urls"},
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def modules(app: str) -> list[Path]:
    return [path for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]


def test_every_room_is_in_the_picture() -> None:
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert rooms == set(ARROWS)


def test_imports_follow_the_arrows() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for app, allowed in ARROWS.items()
        for path in modules(app)
        for name in imports(path)
        if (room := name.partition(".")[0]) in ARROWS and room not in allowed | {app}
    ]
    assert not wrong


def test_the_arrows_have_no_circles() -> None:
    for app, allowed in ARROWS.items():
        for other in allowed:
            assert app not in ARROWS[other], f"{app} and {other} import each other"


def test_every_arrow_is_used() -> None:
    for app, allowed in ARROWS.items():
        used = {name.partition(".")[0] for path in modules(app) for name in imports(path)}
        assert allowed <= used, f"{app} does not import {allowed - used} any more: take the arrow out"


def test_views_stand_above_services_and_services_above_models() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for app in ARROWS
        for layer, forbidden in LAYERS.items()
        for path in [ROOT / app / f"{layer}.py"]
        if path.exists()
        for name in imports(path)
        if name.partition(".")[0] == app and name.split(".")[1:2] and name.split(".")[1] in forbidden
    ]
    assert not wrong


def test_the_network_is_reached_from_one_place() -> None:
    """The language model's client is the only thing that speaks to the outside so far."""
    outside = {"requests", "urllib.request", "httpx", "aiohttp", "openai"}
    found = {
        str(path.relative_to(ROOT)) for app in ARROWS for path in modules(app) if outside & set(imports(path))
    }
    assert found <= {
        "engines/llm.py",
        "operations/health.py",
        "operations/supervisor.py",
        "operations/probe.py",
    }
