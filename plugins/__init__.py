"""Optional parts: what each adds to the core, declared in one place, and which of them are on.

A leaf that knows no app; every app may import it.
"""

from plugins.registry import Plugin, Task, call_hooks, find_all_plugins, find_plugins, is_on, load_hooks

__all__ = ["Plugin", "Task", "call_hooks", "find_all_plugins", "find_plugins", "is_on", "load_hooks"]
