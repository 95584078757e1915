"""What plug-ins declare exists, and what the core shows of them comes from their declarations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.utils.module_loading import import_string

from config import environment as env
from config.environment import WrongSetting
from plugins import Plugin, find_all_plugins
from tests.guards.test_import_arrows import ROOT

PLACE = re.compile(r"""{% fragments "(\w+)\"""")
HOOKS = ("source_kinds", "guests", "tutors", "on_attempt", "figures", "cautions")


def templates_of_the_core() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text() for path in (ROOT / "templates").rglob("*.html")}


def templates_of_plugins() -> dict[str, str]:
    return {
        str(path.relative_to(ROOT)): path.read_text()
        for plugin in find_all_plugins()
        for path in Path(plugin.path, "templates").rglob("*.html")
    }


def test_the_settings_name_every_plugin() -> None:
    assert [plugin.label for plugin in find_all_plugins()] == settings.PLUGINS
    for plugin in find_all_plugins():
        assert set(plugin.needs) <= set(settings.PLUGINS)


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_name_what_there_is(hook: str) -> None:
    declared = [path for plugin in find_all_plugins() for path in getattr(plugin, hook)]
    assert declared and all(import_string(path) for path in declared)


def test_places_and_fragments_belong_together() -> None:
    texts = [*templates_of_the_core().values(), *templates_of_plugins().values()]
    places = {place for text in texts for place in PLACE.findall(text)}
    declared = {place for plugin in find_all_plugins() for place in plugin.fragments}
    assert places == declared
    for plugin in find_all_plugins():
        files = (Path(plugin.path) / "templates" / plugin.label / "fragments").glob("*.html")
        assert {path.stem for path in files} == set(plugin.fragments)


def test_no_template_of_the_core_leads_to_a_plugin() -> None:
    labels = "|".join(plugin.label for plugin in find_all_plugins())
    naming = re.compile(rf"""["'](?:{labels})[:/]""")
    assert [name for name, text in templates_of_the_core().items() if naming.search(text)] == []


def test_a_template_of_a_plugin_leads_only_to_what_it_needs() -> None:
    naming = re.compile(rf"""{{% url ["']({"|".join(plugin.label for plugin in find_all_plugins())}):""")
    allowed = {plugin.label: {plugin.label, *plugin.needs} for plugin in find_all_plugins()}
    wrong = {
        (name, label)
        for name, text in templates_of_plugins().items()
        for label in naming.findall(text)
        if label not in allowed[name.partition("/")[0]]
    }
    assert wrong == set()


def test_no_python_of_the_core_names_a_page_of_a_plugin() -> None:
    labels = {plugin.label for plugin in find_all_plugins()}
    naming = re.compile(rf"""["'](?:{"|".join(labels)})[:/][\w-]""")
    core = {app.label for app in apps.get_app_configs() if Path(app.path).parent == ROOT} - labels
    files = [path for label in core for path in (ROOT / label).rglob("*.py") if "migrations" not in path.parts]
    assert [str(path.relative_to(ROOT)) for path in files if naming.search(path.read_text())] == []


def test_a_plugin_has_all_that_an_app_has() -> None:
    assert all(isinstance(apps.get_app_config(label), Plugin) for label in settings.PLUGINS)


@pytest.mark.parametrize(("given", "off"), [("", []), ("all", ["all"]), ("learning, lti", ["learning", "lti"])])
def test_the_setting_names_those_that_are_off(given: str, off: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_PLUGINS_OFF", given)
    assert env.choices("LECTERN_PLUGINS_OFF", among=["all", *settings.PLUGINS]) == off


def test_a_plugin_that_is_not_there_cannot_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_PLUGINS_OFF", "learning,exams")
    with pytest.raises(WrongSetting, match="LECTERN_PLUGINS_OFF must be all, references"):
        env.choices("LECTERN_PLUGINS_OFF", among=["all", *settings.PLUGINS])
