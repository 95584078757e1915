"""QR pictures, drawn here: no other server learns the address of a class or the secret of an authenticator app."""

from __future__ import annotations

import io

import segno
from django.utils.safestring import SafeString, mark_safe


def qr_svg(address: str) -> SafeString:
    """An address as an SVG picture of a QR code, for the page itself."""
    file = io.BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(file, kind="svg", xmldecl=False, svgns=False, omitsize=True, border=2, dark="#000", light="#fff")
    return mark_safe(file.getvalue().decode())  # noqa: S308 - drawn by segno
