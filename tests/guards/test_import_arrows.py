"""Which room may import which: the picture of docs/architecture.md, held by a test."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent.parent

ARROWS: dict[str, set[str]] = {
    "plugins": set(),
    "operations": {"plugins"},
    "text": set(),
    "engines": {"text"},
    "schools": {"plugins", "text"},
    "accounts": {"schools"},
    "rest": {"accounts", "schools"},
    "privacy": {"accounts", "rest", "schools"},
    "audit": {"corpus", "privacy", "rest", "schools"},
    "corpus": {"engines", "plugins", "rest", "schools", "text"},
    "knowledge": {"corpus", "privacy", "schools"},
    "school_library": {"corpus", "privacy", "schools"},
    "chatbots": {"knowledge", "school_library", "corpus", "engines", "plugins", "privacy", "rest", "schools", "text"},
    "operators": {"operations", "plugins", "chatbots", "corpus", "schools"},
    "demo": {
        "classrooms",
        "learning",
        "chatbots",
        "knowledge",
        "school_library",
        "references",
        "corpus",
        "engines",
        "schools",
    },
    # Plug-ins
    "references": {"chatbots", "corpus", "engines", "plugins", "rest", "schools", "text"},
    "web_pages": {"knowledge", "school_library", "references", "corpus", "plugins", "rest", "schools"},
    "evaluation": {"chatbots", "corpus", "engines", "plugins", "privacy", "schools"},
    "learning": {"chatbots", "corpus", "engines", "plugins", "privacy", "rest", "schools", "text"},
    "classrooms": {
        "learning",
        "chatbots",
        "knowledge",
        "corpus",
        "engines",
        "plugins",
        "privacy",
        "rest",
        "schools",
        "text",
    },
    "lti": {"accounts", "classrooms", "learning", "chatbots", "corpus", "plugins", "privacy", "schools"},
    "openai_api": {"chatbots", "engines", "plugins", "rest", "schools", "text"},
    # Settings ask `operations` where the embedded services are, asgi warms the embedder and the reader, a body that is
    # too large is a problem like any other, and the end of the server's process ends the answers in it; the rest is
    # named as strings.
    "config": {"accounts", "operations", "plugins", "chatbots", "corpus", "engines", "rest", "schools", "text"},
}

# Who imports plug-ins besides plug-ins: why.
NAMES_PLUGINS = {
    "demo": "fills an installation to be looked at, with everything there is",
}

# Inside a large app, from low to high: a part imports those before it and no others.
PARTS: dict[str, list[str]] = {
    "accounts": [
        "encryption devices audit invitations",
        "models",
        "browsers adapter mfa_adapter forms member_forms",
        "factors",
        "factor_forms demand",
        "single_sign_on",
        "middleware",
        "views admin apps templatetags",
        "urls school_urls",
    ],
    "corpus": [
        "numbering page_ranges advisory_lock signals source_kinds block_size retry_backoff certainty progress",
        "models",
        "passages querysets",
        "sources",
        "embedding",
        "search wake_worker",
        "ingestion",
        "tasks reading",
        "web",
        "admin apps management templatetags",
    ],
    "schools": [
        "built_once constraints rate_limits readable qr_code forms",
        "querysets",
        "audit",
        "models",
        "access deletion named services tokens http",
        "admin apps management",
    ],
    "rest": [
        "problems parsers days examples models",
        "authentication health pagination serializers",
        "etags schema views",
        "documentation idempotency",
        "api admin apps",
        "api_urls",
    ],
    "privacy": [
        "registry models",
        "erasing exporting serializers personal_data",
        "whole_school",
        "tasks",
        "views api admin apps management templatetags",
        "urls api_urls",
    ],
    "engines": [
        "background errors pytorch reasoning",
        "embedding llm",
        "reader model_check",
    ],
    "text": [
        "languages matching memo repetition shortening summary_requests tables tokens visible words",
        "sections stemming",
        "function_words lexemes",
        "negation question_types",
        "names question_language sentences",
        "definitions question_match spelling",
    ],
    "operations": [
        "cautions embedded health pooler probe processes requirements",
        "first_install postgres redis_server",
        "supervisor",
        "views apps management",
        "urls",
    ],
    "classrooms": [
        "concern models",
        "corrections flagging hands transcripts joining",
        "erasing mails moderation summary",
        "disclosure links",
        "audience own_data serializers",
        "desk personal_data",
        "forms tasks",
        "views api admin apps templatetags",
        "urls api_urls",
    ],
    "lti": [
        "models",
        "addresses keys launch pages personal_data",
        "handshake platform_calls resource_links",
        "deep_linking grades teachers",
        "pupils",
        "forms tasks",
        "views admin apps",
        "urls",
    ],
    "references": [
        "fetching sections",
        "models",
        "outside_calls",
        "approved offline live",
        "kinds web_page",
        "forms tasks",
        "views api admin apps management",
        "urls api_urls",
    ],
    "chatbots": [
        "models passages",
        "guests source_counts shares services",
        "citations quoting",
        "question_log",
        "answering",
        "conversations",
        "streaming",
        "sharing",
        "insights personal_data",
        "forms model_trial tasks",
        "views api admin apps management templatetags",
        "urls api_urls",
    ],
    "learning": [
        "material",
        "models reading grading",
        "concepts",
        "questions",
        "generating layout",
        "practice planning",
        "exports tutoring",
        "forms tasks personal_data",
        "views api admin apps templatetags",
        "urls api_urls",
    ],
}

# Imports of a part that stands higher: why.
UPWARD = {
    ("schools/audit", "schools/models"): "types, and whose act it is: models only names the entries for Django",
    ("schools/querysets", "schools/models"): "types only: the rows that it reaches",
    ("corpus/models", "corpus/querysets"): "a type only: the rows of a kind of documents",
    ("corpus/source_kinds", "corpus/models"): "a type only: the kind of a stored document",
    ("corpus/source_kinds", "corpus/sources"): "a type only: a kind makes sources",
}

# Whoever is called by the web server, a worker or a shell is imported by whoever lists it, and by nobody else.
DOORS = {"views", "api", "tasks", "urls", "api_urls", "school_urls", "admin", "management"}
LISTS = {"urls", "api_urls", "school_urls"}

# Modules of one app that make up its lowest and its middle layer, as files or as packages.
LAYERS = {
    "models": DOORS | {"services", "forms"},
    "services": DOORS | {"forms"},
}


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Each module that is imported, and with `from` each name, which may be a module too."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


@cache
def modules(app: str) -> list[Path]:
    return [path for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]


def get_part(path: Path) -> str:
    """The package or module directly inside an app that a file belongs to."""
    return path.relative_to(ROOT).parts[1].removesuffix(".py")


def own_imports(app: str) -> Iterator[tuple[Path, str]]:
    """Files of an app with the other parts of the same app that they import."""
    parts = {get_part(path) for path in modules(app)}
    for path in modules(app):
        for name in set(imports(path)):
            room, _, rest = name.partition(".")
            part = rest.partition(".")[0]
            if room == app and part in parts - {get_part(path)}:
                yield path, part


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


def test_the_core_imports_no_plugin() -> None:
    plugins = set(settings.PLUGINS)
    assert {app for app in ARROWS if app not in plugins and ARROWS[app] & plugins} == set(NAMES_PLUGINS)


def test_every_arrow_is_used() -> None:
    for app, allowed in ARROWS.items():
        used = {name.partition(".")[0] for path in modules(app) for name in imports(path)}
        assert allowed <= used, f"{app} does not import {allowed - used} any more: take the arrow out"


def test_every_part_of_a_large_app_has_its_place() -> None:
    for app, order in PARTS.items():
        assert {get_part(path) for path in modules(app)} - {"__init__"} == set(" ".join(order).split())


def test_parts_import_only_those_below_them() -> None:
    upward: dict[tuple[str, str], set[str]] = {}
    for app, order in PARTS.items():
        height = {part: n for n, parts in enumerate(order) for part in parts.split()}
        for path, part in own_imports(app):
            if height[part] >= height[get_part(path)]:
                arrow = (f"{app}/{get_part(path)}", f"{app}/{part}")
                upward.setdefault(arrow, set()).add(str(path.relative_to(ROOT)))
    assert {arrow: files for arrow, files in upward.items() if arrow not in UPWARD} == {}
    assert set(UPWARD) <= set(upward), "no such import any more: take it out of UPWARD"


def test_packages_inside_a_package_have_no_circles() -> None:
    """Each imports another one or is imported by it, at every depth."""
    for app in ARROWS:
        arrows = {
            (get_package(path), package)
            for path in modules(app)
            for name in imports(path)
            if name.startswith(f"{app}.") and (package := find_module(name)) and package != get_package(path)
        }
        known = {(first.replace("/", "."), second.replace("/", ".")) for first, second in UPWARD}
        circles = {
            (one, other)
            for one, other in arrows
            if (other, one) in arrows and not is_inside(one, other) and not is_inside(other, one)
        }
        assert not {pair for pair in circles if pair not in known and pair[::-1] not in known}


def get_package(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parts[:-1])


def find_module(name: str) -> str | None:
    """The package that a name is imported from."""
    place = ROOT.joinpath(*name.split("."))
    if (place / "__init__.py").exists():
        return name
    return name.rpartition(".")[0] if place.with_suffix(".py").exists() else None


def is_inside(inner: str, outer: str) -> bool:
    return inner.startswith(f"{outer}.")


def test_doors_are_imported_by_lists_only() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for app in ARROWS
        for path in modules(app)
        for name in imports(path)
        if (parts := name.split("."))[0] in ARROWS
        and parts[1:2]
        and parts[1] in DOORS
        and parts[0] != "rest"  # its views are those that others are built on
        and (parts[0], parts[1]) != (app, get_part(path))
        and not get_part(path) == parts[1] == "admin"  # bases of admin pages
        and not get_part(path) == parts[1] == "api"  # what a higher app answers as a lower one does, such as sources
        and not (path.stem in LISTS or app == "config")
    ]
    assert not wrong


def test_services_stand_above_models_and_below_what_is_called_from_outside() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for app in ARROWS
        for path in modules(app)
        for layer, forbidden in LAYERS.items()
        if layer in {get_part(path), path.stem}
        for name in imports(path)
        if name.partition(".")[0] == app and forbidden & set(name.split(".")[1:2])
    ]
    assert not wrong


def test_the_network_is_reached_from_one_place() -> None:
    """The language model's client, and the fetcher of pages, which asks whether a school calls anything outside."""
    outside = {"requests", "urllib.request", "httpx", "httpcore", "aiohttp", "openai"}
    found = {str(path.relative_to(ROOT)) for app in ARROWS for path in modules(app) if outside & set(imports(path))}
    assert found <= {
        "engines/llm.py",
        "references/fetching/connections.py",
        "references/fetching/fetch.py",
        "accounts/single_sign_on/issuer.py",  # the school's own provider, which the operator names
        "operations/health.py",
        "operations/supervisor.py",
        "operations/probe.py",
    }


def test_no_private_part_of_a_library_is_used() -> None:
    """What allauth, asgiref and django-csp do not document may change with any release of theirs."""
    libraries = {"allauth", "asgiref", "csp"}
    private: list[str] = []
    for path in (path for folder in [*ARROWS, "tests"] for path in modules(folder)):
        text = path.read_text()
        for name in imports(path) if any(library in text for library in libraries) else ():
            library, *parts = name.split(".")
            if library in libraries and any(part == "internal" or part.startswith("_") for part in parts):
                private.append(f"{path.relative_to(ROOT)} imports {name}")
        if re.search(r"[.\"]_csp_", text) and path != Path(__file__):
            private.append(f"{path.relative_to(ROOT)} sets what django-csp keeps to itself")
    assert not private


def test_only_what_asks_the_school_makes_a_permit_to_fetch() -> None:
    makers = {
        str(path.relative_to(ROOT))
        for app in ARROWS
        for path in modules(app)
        if "Permit(" in (source := path.read_text())
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Permit"
    }
    assert makers == {"references/outside_calls.py"}
