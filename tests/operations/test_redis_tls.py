"""Redis behind TLS: whoever has no certificate of the right authority, for this host, gets neither jobs nor cache."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
import redis
from celery import Celery
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID
from django.conf import settings
from kombu.exceptions import OperationalError

from config.cache import RedisOrMemoryCache
from config.environment import redis_address
from operations import embedded
from schools import rate_limits
from tests.issuers import make_key


def certificate(folder: Path, host: str) -> Path:
    """A certificate for this address that vouches for itself, with its key."""
    key, name = make_key("good"), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "redis")])
    begun = datetime.now(UTC) - timedelta(hours=1)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(begun)
        .not_valid_after(begun + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{host}.pem"
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(*plain))
    return path


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Callable[[Path], int]]:
    """Starts what speaks TLS with this certificate before the Redis of the tests. Returns its port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def copy(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            to.write(data)
        to.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kwargs = redis.Redis.from_url(settings.REDIS_URL).connection_pool.connection_kwargs
        way = asyncio.open_unix_connection(kwargs["path"]) if "path" in kwargs else None
        inner, outer = await (way or asyncio.open_connection(kwargs["host"], kwargs["port"]))
        await asyncio.gather(copy(reader, outer), copy(inner, writer), return_exceptions=True)

    def start(path: Path) -> int:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(path)
        server = asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
        port: int = asyncio.run_coroutine_threadsafe(server, loop).result(120).sockets[0].getsockname()[1]
        return port

    async def end() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    yield start
    asyncio.run_coroutine_threadsafe(end(), loop).result(120)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(120)


def ask_broker(url: str) -> None:
    with Celery(broker=embedded.celery_broker_url(url)).connection() as connection:
        connection.ensure_connection(max_retries=0, timeout=5)
        connection.default_channel.client.ping()


def ask_cache(url: str) -> None:
    cache = RedisOrMemoryCache(url, {"OPTIONS": {"socket_timeout": 5, "socket_connect_timeout": 5}})
    cache.set("tls", "there", 60)
    if rate_limits.breaker.is_open():
        raise redis.ConnectionError


def ask_limiter(url: str) -> None:
    if client := rate_limits._client(url):
        client.ping()


ASKS = {"broker": ask_broker, "cache": ask_cache, "limiter": ask_limiter}


@pytest.mark.parametrize("who", ASKS)
def test_certificates_are_verified(
    front: Callable[[Path], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    right, other_host = certificate(tmp_path, "127.0.0.1"), certificate(tmp_path, "192.0.2.7")

    def address(port: int, query: str = "") -> str:
        monkeypatch.setenv("REDIS_URL", f"rediss://127.0.0.1:{port}/0{query}")
        return redis_address("REDIS_URL", tmp_path)

    port = front(right)
    ASKS[who](address(port, f"?ssl_ca_certs={right}"))
    for wrong in (address(port), address(front(other_host), f"?ssl_ca_certs={other_host}")):
        with pytest.raises((redis.ConnectionError, OperationalError)):
            ASKS[who](wrong)
        rate_limits.breaker.close()
