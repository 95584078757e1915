"""Every form that sends files sends them to a route that takes them: elsewhere config.body_limits refuses them."""

import re
from typing import Any

from django.urls import NoReverseMatch, resolve, reverse

from tests.template_files import find_templates

FORM = re.compile(r"<(?:form|input)\b[^>]*multipart/form-data[^>]*>")
ROUTE = re.compile(r"{% url (?:'([^']+)'|app\|add:'([^']+)')")
KEY = "0196b0f4-3b1c-7000-8000-000000000000"


def test_every_form_that_sends_files_has_a_route_that_takes_them() -> None:
    routes = set()
    for template in find_templates():
        for form in FORM.findall(template.read_text()):
            for name, suffix in ROUTE.findall(form):
                routes |= {name} if name else {f"knowledge{suffix}", f"school_library{suffix}"}
    assert len(routes) >= 8
    assert [route for route in sorted(routes) if not takes_files(route)] == []


def takes_files(route: str) -> Any:
    try:
        path = reverse(route)
    except NoReverseMatch:
        path = reverse(route, args=[KEY])
    return getattr(resolve(path).func, "takes_files", False)
