"""Hands this machine's pip settings on to the build of an image, so that packages come from the same places.

    python .ci/pip_settings.py FILE

Writes FILE, a pip.conf, and prints what to mount for it, a word a line: the file, and each folder that it names.
"""

import ast
import subprocess
import sys
from pathlib import Path


def main() -> None:
    target = Path(sys.argv[1]).resolve()
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    settings: dict[str, str] = {}
    for line in listed.splitlines():  # such as global.timeout='60'
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = ast.literal_eval(value)
    lines = [f"{name} = " + "\n    ".join(value.split()) for name, value in settings.items()]
    target.write_text("\n".join(["[global]", *lines, ""]), encoding="utf-8")
    words = [word.removeprefix("file://") for value in settings.values() for word in value.split()]
    named = {Path(word) for word in words if word.startswith("/") and Path(word).exists()}
    # An index of the form …/simple refers to files beside it.
    folders = {path.parent if path.name == "simple" else path for path in named}
    mounts = [(target, Path("/etc/pip.conf")), *((path, path) for path in sorted(folders))]
    print(*(word for source, place in mounts for word in ("--volume", f"{source}:{place}:ro")), sep="\n")


if __name__ == "__main__":
    main()
