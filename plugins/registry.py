"""The hook object of a plug-in (ADR 41)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from celery.schedules import crontab
from django.apps import AppConfig, apps
from django.conf import settings
from django.utils.module_loading import import_string

ALL = "all"
"""The word of LECTERN_PLUGINS_OFF for every plug-in."""


@dataclass(frozen=True)
class Task:
    """A task of Celery: when beat wakes it, if it does, and the queue by which it reaches a worker."""

    every: int | crontab | None = None
    queue: str = "celery"


class Plugin(AppConfig):
    """An app that can be switched off. Hooks are dotted names, because no model is loaded when they are declared.

    Off, its pages, routes, links, kinds of source, rules and tasks are gone. Its tables stay, so nothing is lost, and
    what is stored of people can still be exported and erased.
    """

    needs: ClassVar[Sequence[str]] = ()
    """Plug-ins without which this one is off too."""
    urls: ClassVar[Mapping[str, str]] = {}
    """Prefix of the pages -> module of URLs."""
    api_urls: ClassVar[Mapping[str, str]] = {}
    """Prefix below /api/v1/ -> module of URLs."""
    tasks: ClassVar[Mapping[str, Task]] = {}
    fragments: ClassVar[Sequence[str]] = ()
    """Places in pages of the core, such as a menu, where its template <label>/fragments/<place>.html is rendered."""
    school_pages: ClassVar[Sequence[str]] = ()
    """URL names of pages on which admins keep their school; a name of an app stands for all of its pages."""
    source_kinds: ClassVar[Sequence[str]] = ()
    """Each a `corpus.source_kinds.SourceKind`."""
    guests: ClassVar[Sequence[str]] = ()
    """A `chatbots.guests.GuestRules`: who may ask without an account."""
    tutors: ClassVar[Sequence[str]] = ()
    """A `chatbots.answering.source_selection.Tutoring`: what a tutor reads, and what writes its answers."""
    on_attempt: ClassVar[Sequence[str]] = ()
    """Called with each graded `learning.models.Attempt`, in its transaction."""
    figures: ClassVar[Sequence[str]] = ()
    """Called for the operator's page: return variables for the fragments there."""
    cautions: ClassVar[Sequence[str]] = ()
    """Called at the start: return sentences for the operator about unsafe settings."""

    default = False  # Django passes over this class where an apps.py imports it

    def __init_subclass__(cls) -> None:
        cls.default = True

    @property
    def is_on(self) -> bool:
        off = settings.LECTERN_PLUGINS_OFF
        return ALL not in off and self.label not in off and all(map(is_on, self.needs))


def find_plugins() -> list[Plugin]:
    """Return the plug-ins that are on, in the order of INSTALLED_APPS."""
    return [plugin for plugin in find_all_plugins() if plugin.is_on]


def find_all_plugins() -> list[Plugin]:
    return [app for app in apps.get_app_configs() if isinstance(app, Plugin)]


def is_on(label: str) -> bool:
    """Return whether the plug-in of this label is installed and on."""
    plugin = apps.app_configs.get(label)
    return isinstance(plugin, Plugin) and plugin.is_on


def load_hooks(name: str) -> list[Any]:
    """Return what the plug-ins that are on have declared as a hook of this name."""
    return [import_string(path) for plugin in find_plugins() for path in getattr(plugin, name)]


def call_hooks(name: str, *args: object) -> list[Any]:
    """Call the functions that the plug-ins that are on have declared as a hook, and return their results."""
    return [hook(*args) for hook in load_hooks(name)]
