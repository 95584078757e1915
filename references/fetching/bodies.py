"""Read the body of an answer, unpacked, up to a limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

from references.fetching.errors import FetchFailed


def read_body(chunks: Iterable[bytes], headers: Mapping[str, str], max_bytes: int) -> bytes:
    """The body as text was meant to be read. Raises FetchFailed if it is larger, before and after unpacking.

    A few bytes can unpack to gigabytes, so no more is unpacked than is still allowed.
    """
    if _declared(headers) > max_bytes:
        raise _too_large(max_bytes)
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return _joined(chunks, max_bytes)
    if encoding in ("gzip", "x-gzip"):
        return _joined(_unpacked(chunks, max_bytes), max_bytes)
    raise FetchFailed(f"The page is packed in a way that was not asked for (“{encoding[:30]}”).")


def _declared(headers: Mapping[str, str]) -> int:
    value = headers.get("content-length", "")
    return int(value[:20]) if value.isascii() and value.isdigit() else 0


def _joined(chunks: Iterable[bytes], max_bytes: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise _too_large(max_bytes)
    return bytes(body)


def _unpacked(chunks: Iterable[bytes], max_bytes: int) -> Iterable[bytes]:
    unpacker, left = zlib.decompressobj(16 + zlib.MAX_WBITS), max_bytes  # gzip
    try:
        for chunk in chunks:
            piece = unpacker.decompress(chunk, left + 1)
            left -= len(piece)
            yield piece
            if unpacker.unconsumed_tail or left < 0:
                raise _too_large(max_bytes)
    except zlib.error:
        raise FetchFailed("The page cannot be unpacked.") from None
    if not unpacker.eof or unpacker.unused_data:
        raise FetchFailed("The page cannot be unpacked as a whole.")


def _too_large(max_bytes: int) -> FetchFailed:
    return FetchFailed(f"The page is larger than {max_bytes / 1_000_000:g} MB.")
