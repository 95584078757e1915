"""What the container files name must exist. `make image-check` builds the image and runs its services."""

import importlib.util
import re
import tomllib
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command, get_commands
from pytest_django import Settings

from operations.requirements import TARGETS

ROOT = Path(settings.BASE_DIR)
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
NOT_OURS = {"PATH", "PYTHONUNBUFFERED", "OMP_NUM_THREADS"}  # read by the shell, Python and torch


STAGES = [found[1] for line in DOCKERFILE if (found := re.match(r"FROM \S+ AS (\S+)$", line))]


def _instructions(name: str) -> list[str]:
    return [line.removeprefix(name).strip() for line in DOCKERFILE if line.startswith(f"{name} ")]


def _names_read() -> set[str]:
    """Every environment variable that the settings or the operations read."""
    files = [ROOT / "config" / "settings.py", *(ROOT / "operations").rglob("*.py")]
    return {name for file in files for name in re.findall(r'"([A-Z][A-Z_]{3,})"', file.read_text())}


def test_one_image_serves_in_five_roles_beside_two_services() -> None:
    assert set(SERVICES) == {"database", "redis", "migrate", "web", "worker", "sweeper", "beat"}
    assert set(OURS) == {"migrate", "web", "worker", "sweeper", "beat"}
    assert {service["image"] for service in OURS.values()} == {"lectern"}


def test_each_service_takes_the_lean_image_unless_another_is_asked_for() -> None:
    for service in OURS.values():
        target = service["build"]["target"]
        assert target == "${LECTERN_TARGET:-lean}"
        assert set(service["build"]["args"]) <= {line.partition("=")[0] for line in _instructions("ARG")}
    assert STAGES[-1] == "lean", "the one that is built if none is named"
    assert set(TARGETS) <= set(STAGES)


@pytest.mark.parametrize("name", OURS)
def test_only_the_volume_and_what_is_temporary_can_be_written(name: str) -> None:
    service = OURS[name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp:size=2g"]
    assert service["volumes"] == ["data:/data"]
    assert service["environment"]["LECTERN_DATA"] == "/data"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_every_service_that_stays_has_a_health_check() -> None:
    for name, service in SERVICES.items():
        assert "healthcheck" in service or service["restart"] == "no", name


def test_the_health_check_of_beat_looks_where_beat_writes() -> None:
    command = OURS["beat"]["command"]
    folder, name = command[command.index("--schedule") + 1].rsplit("/", 1)
    assert f"find {folder} -maxdepth 1 -name '{name}*'" in OURS["beat"]["healthcheck"]["test"][1]


def test_the_database_image_brings_postgresql_18_with_pgvector() -> None:
    assert SERVICES["database"]["image"] == "pgvector/pgvector:pg18"
    # Since version 18 the image keeps its clusters below this directory.
    assert SERVICES["database"]["volumes"] == ["database:/var/lib/postgresql"]


@pytest.mark.parametrize("name", OURS)
def test_settings_read_every_variable_that_is_given(name: str) -> None:
    environment = OURS[name]["environment"]
    assert set(environment) <= _names_read()
    assert environment["LECTERN_SECRET_KEY"].startswith("${LECTERN_SECRET_KEY:?")
    assert environment["DATABASE_URL"].endswith("@database:5432/lectern")
    assert environment["REDIS_URL"] == "redis://:${POSTGRES_PASSWORD}@redis:6379/0"
    assert environment["LECTERN_DEMO"] == "0"


def test_redis_has_the_password_of_its_clients() -> None:
    redis = SERVICES["redis"]
    assert redis["command"][-2:] == ["--requirepass", redis["environment"]["REDISCLI_AUTH"]]
    assert redis["environment"]["REDISCLI_AUTH"] in OURS["web"]["environment"]["REDIS_URL"]


def test_a_proxy_on_this_machine_is_trusted_and_nobody_else() -> None:
    """What comes from the machine to a published port has the address of the network's gateway."""
    (network,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    assert OURS["web"]["environment"]["FORWARDED_ALLOW_IPS"] == f"${{FORWARDED_ALLOW_IPS:-{network['gateway']}}}"
    assert ip_address(network["gateway"]) in ip_network(network["subnet"])
    assert OURS["web"]["ports"] == ["127.0.0.1:8000:8000"]


def test_the_database_takes_the_connections_of_ten_processes() -> None:
    (most,) = re.findall(r"max_connections=(\d+)", " ".join(SERVICES["database"]["command"]))
    pool = settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"] + 8  # of corpus.search.pool
    assert int(most) >= 10 * pool


def test_the_image_sets_only_variables_that_something_reads() -> None:
    given = {name for line in _instructions("ENV") for name in re.findall(r"([A-Z_]+)=", line)}
    assert given <= _names_read() | NOT_OURS


@pytest.mark.parametrize("name", OURS)
def test_every_command_exists(name: str) -> None:
    program, *arguments = OURS[name]["command"]
    if program == "python":
        assert (ROOT / arguments[0]).exists()
        assert arguments[1] in get_commands()
    elif program == "uvicorn":
        _assert_importable(arguments[0])
        assert arguments == _command_of_image()[1:]
    else:
        assert program == "celery"
        assert arguments[:2] == ["-A", "config"]
        assert arguments[2] in {"worker", "beat"}
        _assert_importable("config:celery_app")


def test_the_web_is_asked_whether_it_is_ready() -> None:
    check = SERVICES["web"]["healthcheck"]["test"]
    assert check[:3] == ["CMD", "python", "-m"]
    assert importlib.util.find_spec(check[3]) is not None
    assert SERVICES["web"]["environment"]["PORT"] in _command_of_image()
    assert SERVICES["web"]["ports"][0].endswith(f":{SERVICES['web']['environment']['PORT']}")


def test_everything_that_is_waited_for_exists_and_tells_its_health() -> None:
    for service in SERVICES.values():
        for name, wait in service.get("depends_on", {}).items():
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[name]
            else:
                assert wait["condition"] == "service_completed_successfully"
                assert SERVICES[name]["restart"] == "no"


def test_every_volume_is_declared_and_used() -> None:
    used = {mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])}
    assert used == set(COMPOSE["volumes"])


def test_the_image_builds_from_files_that_exist_and_does_not_run_as_root() -> None:
    for line in _instructions("COPY"):
        first, *others = line.split()[:-1]
        if first.startswith("--from="):
            assert first.removeprefix("--from=") in STAGES
        else:
            for source in (first, *others):
                assert (ROOT / source).exists(), source
    assert _instructions("USER") == ["lectern"]
    assert DOCKERFILE.index("USER lectern") < DOCKERFILE.index("VOLUME /data")


@pytest.mark.django_db
def test_the_image_brings_its_own_static_files(settings: Settings, tmp_path: Path) -> None:
    """Two versions on one volume do not write over each other's manifest, and the image cannot be written."""
    assert any("mkdir collected" in line and "collectstatic" in line for line in _instructions("RUN"))
    assert "--from=collected /app/collected collected" in _instructions("COPY")
    settings.STATIC_ROOT = tmp_path / "collected"
    call_command("prepare", verbosity=0)
    assert not settings.STATIC_ROOT.exists()


def test_the_image_has_a_python_that_the_project_supports() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    least = tuple(map(int, wanted.removeprefix(">=").split(".")))
    base, *others = (line.split()[0] for line in _instructions("FROM"))
    found = re.fullmatch(r"python:(\d+)\.(\d+)-slim", base)
    assert found
    assert set(others) <= set(STAGES), "the libraries are for the Python of the base"
    assert tuple(map(int, found.groups())) >= least


def _command_of_image() -> list[str]:
    (command,) = _instructions("CMD")
    words: list[str] = yaml.safe_load(command)
    return words


def _assert_importable(address: str) -> None:
    module, name = address.split(":")
    found = importlib.util.find_spec(module)  # not imported: it would begin to serve, on a database that is not there
    assert found is not None and found.origin is not None
    assert re.search(rf"\b{name}\b", Path(found.origin).read_text())
