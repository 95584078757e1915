"""The documents speak of what is there: links, commands and settings, and no more."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from demo.catalogue import OPERATOR, SCHOOLS
from tests.guards.test_import_arrows import ARROWS

ROOT = Path(settings.BASE_DIR)
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
RECORDS = sorted(ROOT.glob("docs/adr/*.md"))
RECORD_LINES = 60

LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
# Where somebody's checkout, home or temporary files lie; /tmp and /var alone are the same on every machine.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|work|Users|mnt|workspace|tmp/\w)[\w/.-]*")
SETTINGS_ROW = re.compile(r"^\| `([A-Z_]+)` \|([^|]*)\|", re.MULTILINE)
READS = re.compile(r"env\.\w+|os\.environ\.get|os\.getenv")
ROOMS = {path.parent for path in ROOT.glob("*/__init__.py")} - {ROOT / "tests"}
PROGRAM = [ROOT / "manage.py", *(path for room in ROOMS for path in room.rglob("*.py"))]


def links(document: Path) -> Iterator[str]:
    for found in LINK.finditer(document.read_text()):
        yield found[1] or found[2]


def anchors(document: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    plain = (re.sub(r"[^\w\s-]", "", heading).strip() for heading in HEADING.findall(document.read_text()))
    return {heading.lower().replace(" ", "-") for heading in plain}


def names_read() -> Iterator[tuple[str, ast.expr | None]]:
    """Environment variables that the product reads, each with the expression of its default, where it has one."""
    for node in (node for file in PROGRAM for node in ast.walk(ast.parse(file.read_text()))):
        if isinstance(node, ast.Call) and READS.fullmatch(ast.unparse(node.func)):
            name, *others = node.args
            if isinstance(name, ast.Constant):  # else it is handed on by a function that is called with the name
                named = [word.value for word in node.keywords if word.arg == "default"]
                yield str(name.value), next(iter([*others, *named]), None)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in {"env", "os.environ"}:
            yield ast.literal_eval(node.slice), None


def settings_table() -> dict[str, str]:
    """Variables in docs/operations.md with what stands under "default"."""
    rows = SETTINGS_ROW.findall((ROOT / "docs" / "operations.md").read_text())
    return {name: default.strip(" `") for name, default in rows}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in links(document):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_path_of_somebodys_machine(document: Path) -> None:
    assert MACHINE_PATH.findall(document.read_text()) == []


def test_every_variable_is_described_and_every_description_is_of_a_variable() -> None:
    assert set(settings_table()) == {name for name, _ in names_read()}


def test_defaults_are_those_of_the_code() -> None:
    described = settings_table()
    compared = 0
    for name, default in names_read():
        if isinstance(default, ast.Constant) and default.value not in ("", None):
            assert described[name] == str(default.value), name
            compared += 1
    assert compared > 10


def test_the_compose_file_is_described() -> None:
    """What has to stand in .env is named where containers are explained to newcomers."""
    required = set(re.findall(r"\$\{([A-Z_]+):\?", (ROOT / "docker-compose.yml").read_text()))
    readme = (ROOT / "README.md").read_text()
    assert required
    assert all(f"{name}=" in readme for name in required)


def test_the_first_screen_holds_both_commands() -> None:
    first = "\n".join((ROOT / "README.md").read_text().splitlines()[:25])
    makefile = (ROOT / "Makefile").read_text()
    for target in ("run", "test"):
        assert re.search(rf"\bmake {target}\b", first)
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "http://127.0.0.1:8000" in first


def test_the_first_screen_names_the_sign_ins_of_the_demo() -> None:
    first = "\n".join((ROOT / "README.md").read_text().splitlines()[:25])
    for person in (OPERATOR, *(person for school in SCHOOLS for person in school["people"])):
        assert person["email"] in first


def test_decision_records_are_numbered_and_short() -> None:
    numbers = [int(path.name[:4]) for path in RECORDS]
    assert numbers == list(range(1, len(RECORDS) + 1))
    for number, path in zip(numbers, RECORDS, strict=True):
        lines = path.read_text().splitlines()
        assert lines[0].startswith(f"# {number}. "), path.name
        assert len(lines) <= RECORD_LINES, path.name
        sections = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
        assert sections == ["Context", "Decision", "Consequences", "Alternatives"], path.name


def test_records_named_in_the_code_exist() -> None:
    numbers = {int(path.name[:4]) for path in RECORDS}
    named = {int(number) for path in PROGRAM for number in re.findall(r"\bADR (\d+)", path.read_text())}
    assert named
    assert named <= numbers


def test_the_floor_plan_names_every_room_and_no_file_that_is_gone() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    rooms = {room.name for room in ROOMS}
    for row in re.findall(r"^\| (`.*)$", text, re.MULTILINE):
        here = [room for room in rooms if f"`{room}/`" in row.partition(" | ")[0]]
        for name in re.findall(r"`([\w/]+\.py)`", row):
            assert any((ROOT / room / name).exists() for room in here) or (ROOT / name).exists(), name
    assert all(f"`{room}/`" in text for room in rooms)


def test_files_named_in_the_table_of_behaviours_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    section = text.partition("## Where do I look for")[2].partition("\n## ")[0]
    files = [Path(name) for name in re.findall(r"`([\w/]+\.py)`", section)]
    assert len(files) >= 40
    assert [str(file) for file in files if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_names_of_the_code_exist(document: Path) -> None:
    """Such as `streaming/jobs.py`, and `corpus.search.scoring.score_texts`."""
    text = document.read_text()
    files = {str(path) for path in [*PROGRAM, *ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/*.py")]}
    paths = re.findall(r"`([\w/]+\.py)`", text)
    assert [path for path in paths if not any(file.endswith(f"/{path}") for file in files)] == []
    rooms = "|".join(room.name for room in ROOMS)
    names = re.findall(rf"`((?:{rooms})\.[\w.]+)(?:\(.*\))?`", text)
    assert [name for name in names if not name.endswith((".py", ".md", ".json")) and not is_in_the_code(name)] == []


def is_in_the_code(name: str) -> bool:
    """Whether it is a package or a module, or stands in one."""
    *parents, last = name.split(".")
    place = ROOT.joinpath(*parents)
    if (place / last).is_dir() or (place / f"{last}.py").is_file():
        return True
    module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    if not module.is_file():
        return len(parents) > 1 and is_in_the_code(".".join(parents))
    return re.search(rf"\b{last}\b", module.read_text()) is not None


def test_the_import_rules_are_those_of_the_guard() -> None:
    picture = (ROOT / "docs" / "architecture.md").read_text().partition("```\n")[2].partition("```")[0]
    rules = re.findall(r"^(\w+) +(?:leaf\.|-> (\w+(?:, \w+)*))", picture, re.MULTILINE)
    assert {room: set(imported.split(", ")) - {""} for room, imported in rules} == ARROWS


def test_the_glossary_stays_short() -> None:
    words = re.findall(r"^- \*\*(.+?)\*\*", (ROOT / "CONTEXT.md").read_text(), re.MULTILINE)
    assert 30 <= len(words) <= 45
    assert len(words) == len(set(words))


def test_pictures_are_small() -> None:
    for path in (ROOT / "docs" / "images").iterdir():
        assert path.stat().st_size < 200_000, path.name
