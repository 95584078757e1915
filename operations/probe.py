"""Asks a running Lectern whether it is ready; the supervisor and the container's health check use it.

`python -m operations.probe` exits 0 or 1. It needs only PORT and LECTERN_ALLOWED_HOSTS from the environment.
"""

import os
import sys
import urllib.request


def answers_ready(address: str, host_header: str) -> bool:
    """Whether `address` (such as http://127.0.0.1:8000) answers /readyz with 200.

    Django refuses unknown hosts, so the request names an allowed one. It pretends to come through a proxy with HTTPS,
    so that it is not redirected.
    """
    headers = {"Host": host_header, "X-Forwarded-Proto": "https"}
    request = urllib.request.Request(f"{address}/readyz", headers=headers)  # noqa: S310 - ours, http
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def host_header(allowed: list[str]) -> str:
    """A host name that Django accepts, out of ALLOWED_HOSTS (which may hold `*` and `.example.org`)."""
    names = [name for name in allowed if name != "*"]
    return names[0].removeprefix(".") if names else "localhost"


if __name__ == "__main__":
    allowed = [name for name in os.environ.get("LECTERN_ALLOWED_HOSTS", "").split(",") if name]
    port = os.environ.get("PORT", "8000")
    sys.exit(0 if answers_ready(f"http://127.0.0.1:{port}", host_header(allowed)) else 1)
