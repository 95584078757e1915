"""A3: no connection to an address off the list, whatever an address, a redirect or a resolver says."""

from __future__ import annotations

import gzip
import ssl
import subprocess
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from references.fetching.addresses import parse_target
from references.fetching.fetch import FetchedPage, FetchFailed, fetch, read_body
from references.fetching.permit import Permit
from tests.references.web import Step, WebPeer, page, redirect, web_peer

PUBLIC = "93.184.216.34"  # to connect there is NetworkRefused in tests


@pytest.fixture(scope="module")
def listener() -> Iterator[WebPeer]:
    """What nobody may reach: it would answer everything."""
    with web_peer(lambda path: page()) as peer:
        yield peer


@pytest.fixture
def loopback(settings: Settings) -> None:
    settings.LECTERN_FETCH_LOOPBACK = True


def names(**hosts: Sequence[str]) -> Callable[[str, int], Sequence[str]]:
    """A resolver of these names only, with _ for a dot; an IP address is its own answer."""
    known = {name.replace("_", "."): addresses for name, addresses in hosts.items()}

    def resolve(host: str, port: int) -> Sequence[str]:
        return known.get(host, [host] if ":" in host or host.replace(".", "").isdigit() else [])

    return resolve


def get(address: str, **options: Any) -> FetchedPage:
    return fetch(address, permit=Permit(), **{"allow_http": True, "seconds": 5, "resolver": names(), **options})


# Addresses that are spelled so that they might pass. PORT is that of a listener on this machine, and the host is listed
# as it is written, so that only its being on this machine can keep it out.
SPELLED = [
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://127.1:PORT/",
    "http://127.0.1:PORT/",
    "http://127.1.2.3:PORT/",
    "http://0.0.0.0:PORT/",
    "http://0:PORT/",
    "http://2130706433:PORT/",
    "http://017700000001:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://0177.1:PORT/",
    "http://0x7f000001:PORT/",
    "http://0x7f.1:PORT/",
    "http://0x7f.0x0.0x0.0x1:PORT/",
    "http://0X7F.0.0.1:PORT/",
    "http://127.0.0.0x1:PORT/",
    "http://127.0.0.01:PORT/",
    "http://0127.0.0.1:PORT/",
    "http://00127.0.0.1:PORT/",
    "http://127.0.0.1.0x:PORT/",
    "http://１２７.０.０.１:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://127。0。0。1:PORT/",
    "http://127．0．0．1:PORT/",
    "http://%31%32%37.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST.:PORT/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
    "http://loca\u00adlhost:PORT/",
    "http://[::1]:PORT/",
    "http://[0:0:0:0:0:0:0:1]:PORT/",
    "http://[::]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[::ffff:0:127.0.0.1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/",
    "http://[64:ff9b:1::7f00:1]:PORT/",
    "http://[2002:7f00:1::1]:PORT/",
    "http://[2001::7f00:1]:PORT/",
    "http://[fe80::1%25lo]:PORT/",
    "http://[fe80::1%lo]:PORT/",
    "http://[::1%lo]:PORT/",
    "http://[::1]a:PORT/",
    "http://[127.0.0.1]:PORT/",
    "http://wiki.example@127.0.0.1:PORT/",
    "http://wiki.example:443@127.0.0.1:PORT/",
    "http://wiki.example%40127.0.0.1:PORT/",
    "http://@127.0.0.1:PORT/",
    "http://:@127.0.0.1:PORT/",
    "http://wiki.example\\@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT\\@wiki.example/",
    "http:\\\\127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/",
    "http:///127.0.0.1:PORT/",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT/",
    "ht\ttp://127.0.0.1:PORT/",
    "http://127.0.0.1:PORT\r\nX: y/",
    " http://127.0.0.1:PORT/",
    "http://127.0.0.1 :PORT/",
    "http://127.0.0.1\u2028:PORT/",
    "http://127.0.0.1:PORT\x00/",
    "ftp://127.0.0.1:PORT/",
    "gopher://127.0.0.1:PORT/_GET",
    "file:///etc/passwd",
    "data:text/html,hello",
    "javascript:alert(1)",
    "http://127.0.0.1:PORT:80/",
    "http://127.0.0.1:-1/",
    "http://127.0.0.1:0/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:１/",
    "http://",
    "",
    "http://wiki..example:PORT/",
    "http://-wiki.example:PORT/",
    "http://" + "a" * 64 + ".example:PORT/",
    "http://wiki.example:PORT/" + "a" * 2000,
]


@pytest.mark.parametrize("address", SPELLED)
def test_no_spelling_of_this_machine_is_connected_to(address: str, listener: WebPeer) -> None:
    address = address.replace("PORT", str(listener.port))
    written = address.partition("://")[2].partition("/")[0]
    with pytest.raises(FetchFailed):
        get(
            address,
            hosts=[written, written.rpartition("@")[2], listener.host, "wiki.example", f"localhost:{listener.port}"],
            resolver=this_machine,
        )
    assert listener.connections == 0


def this_machine(host: str, port: int) -> Sequence[str]:
    """As the system's resolver reads numbers, and a hostile one every name."""
    return [host] if ":" in host else ["127.0.0.1"]


@given(st.text() | st.from_regex(r"https?://[^/]*(:\d+)?(/.*)?"))
def test_what_is_no_listed_address_is_refused_in_words(address: str) -> None:
    try:
        target = parse_target(address, hosts=["wiki.example", "[2606:2800:220:1::1]:8443"], allow_http=True)
    except FetchFailed:
        return
    assert (target.host, target.port) in {("wiki.example", 443), ("wiki.example", 80), ("2606:2800:220:1::1", 8443)}
    assert str(target).isascii() and str(target).isprintable() and " " not in str(target)


PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::a9fe:a9fe",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    f"::ffff:{PUBLIC}",
    "::ffff:0:127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:53aa:64c::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:a9fe:a9fe::1",
    "2002:7f00:1::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "not an address",
]


@pytest.mark.parametrize("address", PRIVATE)
@pytest.mark.parametrize("beside", [(), (PUBLIC,)], ids=["alone", "beside a public one"])
def test_no_name_leads_into_a_private_network(address: str, beside: tuple[str, ...]) -> None:
    """Not even where a public address stands first. A connection would be NetworkRefused, which is no FetchFailed."""
    with pytest.raises(FetchFailed, match=r"no public site wiki\.example: .* in a private network") as failure:
        get("https://wiki.example/", hosts=["wiki.example"], resolver=names(wiki_example=[*beside, address]))
    assert address not in str(failure.value)


@pytest.mark.parametrize("address", PRIVATE)
def test_loopback_is_only_loopback(address: str, loopback: None) -> None:
    if address in ("127.0.0.1", "127.255.255.254", "::1"):
        return
    with pytest.raises(FetchFailed, match="private network"):
        get("https://wiki.example/", hosts=["wiki.example"], resolver=names(wiki_example=[address]))


@pytest.mark.parametrize("address", [address for address in PRIVATE if address != "not an address"])
def test_a_host_of_the_operator_may_be_in_a_private_network(address: str) -> None:
    """But neither on this machine nor where the provider of a server keeps its secrets."""
    allowed = address.startswith(("10.", "172.", "192.168.", "fc", "fd"))
    with pytest.raises(
        RuntimeError if allowed else FetchFailed, match="tried to reach" if allowed else "private network"
    ):
        fetched = {"hosts": ["wiki.example"], "resolver": names(wiki_example=[address]), "allow_private": True}
        get("https://wiki.example/", **fetched)


@pytest.mark.parametrize("address", [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946"])
def test_public_addresses_are_connected_to(address: str) -> None:
    with pytest.raises(RuntimeError, match=f"tried to reach {address}"):
        get("https://wiki.example/", hosts=["wiki.example"], resolver=names(wiki_example=[address]))


# Redirects of a listed site to what is not listed. OTHER is a listener that must not be reached.
REDIRECTS = [
    "http://127.0.0.1:OTHER/",
    "http://127.0.0.2:OTHER/",
    "http://127.0.0.2:PORT/",
    "//127.0.0.1:OTHER/",
    "///127.0.0.1:OTHER/",
    "\\\\127.0.0.1:OTHER\\",
    "/\\127.0.0.1:OTHER/",
    "http:\\\\127.0.0.1:OTHER/",
    "http://localhost:OTHER/",
    "http://other.example:OTHER/",
    "http://wiki.example:OTHER/",
    "http://wiki.example.evil.example:PORT/",
    "http://evilwiki.example:PORT/",
    "http://sub.wiki.example:PORT/",
    "http://wiki.example@127.0.0.1:OTHER/",
    "http://wiki.example:PORT@127.0.0.1:OTHER/",
    "http://wiki.example:PORT\\@127.0.0.1:OTHER/",
    "http://127.0.0.1:OTHER\\@wiki.example:PORT/",
    "http://127.0.0.1:OTHER#@wiki.example:PORT/",
    "http://127.0.0.1:OTHER?@wiki.example:PORT/",
    "http://2130706433:OTHER/",
    "http://0x7f.1:OTHER/",
    "http://0:OTHER/",
    "http://[::1]:OTHER/",
    "http://[::ffff:127.0.0.1]:OTHER/",
    "http://[64:ff9b::7f00:1]:OTHER/",
    "https://wiki.example/",
    "http://wiki.example/",
    "http://wiki.example:22/",
    "ftp://wiki.example:PORT/",
    "file:///etc/passwd",
    "data:text/html,<p>A page.</p>",
    "javascript:alert(1)",
    "gopher://127.0.0.1:OTHER/",
    "http://",
    "http://[",
    "http://wiki.example:PORTx/",
]


@pytest.mark.parametrize("to", REDIRECTS)
def test_no_redirect_leads_off_the_list(to: str, listener: WebPeer, loopback: None) -> None:
    with web_peer(lambda path: redirect(where)) as listed:
        where = to.replace("PORT", str(listed.port)).replace("OTHER", str(listener.port))
        with pytest.raises(FetchFailed):
            get(f"http://wiki.example:{listed.port}/", hosts=[f"wiki.example:{listed.port}"], resolver=this_machine)
    assert listed.connections and not listener.connections


def test_a_redirect_on_the_list_is_followed(loopback: None) -> None:
    def answer(path: str) -> Sequence[Step]:
        return page("There.") if path == "/there?a=%C3%A9" else redirect("/there?a=é#part")

    with web_peer(answer) as peer:
        found = get(f"{peer.url}/here", hosts=[peer.host])
    assert (found.address, found.body) == (f"{peer.url}/there?a=%C3%A9", b"There.")


def test_an_encrypted_page_does_not_redirect_to_an_open_one() -> None:
    with pytest.raises(FetchFailed, match="only encrypted pages"):
        get("http://wiki.example/", hosts=["wiki.example"], allow_http=False)


def test_redirects_are_counted(loopback: None) -> None:
    with web_peer(lambda path: redirect(path + "x")) as peer, pytest.raises(FetchFailed, match="more than 3 times"):
        get(f"{peer.url}/", hosts=[peer.host], redirects=3)
    assert peer.connections == 4


def test_a_name_is_resolved_once(listener: WebPeer, loopback: None) -> None:
    """DNS rebinding: the name leads elsewhere when it is asked for the second time."""
    asked: list[str] = []

    def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    def answer(path: str) -> Sequence[Step]:
        return page("There.") if path == "/there" else redirect("/there")

    with web_peer(answer) as peer, web_peer(lambda path: page("Elsewhere."), address="127.0.0.2") as elsewhere:
        host = f"wiki.example:{peer.port}"
        assert get(f"http://{host}/", hosts=[host], resolver=rebinding).body == b"There."
    assert (asked, peer.connections, elsewhere.connections) == (["wiki.example"], 2, 0)


def test_a_name_that_turns_private_is_not_connected_to(listener: WebPeer) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    host = f"wiki.example:{listener.port}"
    for reason in ("tried to reach", "private network"):  # the first fetch connects, the second does not
        with pytest.raises((RuntimeError, FetchFailed), match=reason):
            get(f"http://{host}/", hosts=[host], resolver=lambda host, port: next(answers))
    assert listener.connections == 0


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("http://WIKI.example.:PORT/", ["wiki.example:PORT"]),
        ("http://wiki.example:PORT/", ["Wiki.Example.:PORT"]),
        ("http://bücher.example:PORT/", ["xn--bcher-kva.example:PORT"]),
        ("http://xn--bcher-kva.example:PORT/", ["Bücher.example:PORT"]),
        ("http://BÜCHER。example:PORT/", ["bücher.example:PORT"]),
        ("http://127.0.0.1:PORT/", ["127.0.0.1:PORT"]),
    ],
)
def test_hosts_are_compared_in_one_spelling(address: str, hosts: list[str], loopback: None) -> None:
    with web_peer(lambda path: page()) as peer:
        port = str(peer.port)
        found = get(
            address.replace("PORT", port), hosts=[host.replace("PORT", port) for host in hosts], resolver=this_machine
        )
    assert found.body == b"<p>A page.</p>"


def test_a_request_says_who_asks_and_nothing_else(
    loopback: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LECTERN_FETCH_CONTACT = "mailto:büro+it@school.example"
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    def answer(path: str) -> Sequence[Step]:
        return page("There.") if path == "/there" else page("", status=302, Location="/there", Set_Cookie="a=b")

    with web_peer(answer) as peer:
        get(f"{peer.url}/", hosts=[peer.host])
    assert [path for path, _ in peer.asked] == ["/", "/there"]
    for _, headers in peer.asked:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert headers["user-agent"] == f"Lectern/{settings.LECTERN_VERSION} (b%C3%BCro+it@school.example)"


def test_nothing_is_fetched_offline(listener: WebPeer, loopback: None, settings: Settings) -> None:
    settings.LECTERN_OFFLINE = True
    with pytest.raises(FetchFailed, match="no calls to the outside"):
        get(f"{listener.url}/", hosts=[listener.host])
    assert listener.connections == 0


BOMB = gzip.compress(bytes(30_000_000), 9)


def endless(piece: bytes = b"word " * 2000) -> Iterator[bytes]:
    while True:
        yield piece


def chunked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield page("", Content_Length="", Transfer_Encoding="chunked")[0]
    for piece in pieces:
        yield b"%x\r\n%s\r\n" % (len(piece), piece)


OPENING = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "says it is large": (lambda: page("", Content_Length=10**12), "larger than 0.1 MB"),
    "says it is larger than a number": (lambda: page("", Content_Length=10**30), "larger than|broke off"),
    "is large": (lambda: page(b"a" * 200_000, Content_Length=""), "larger than 0.1 MB"),
    "has no end": (lambda: chunked(endless()), "larger than 0.1 MB"),
    "gzip bomb": (lambda: page(BOMB, Content_Encoding="gzip"), "larger than 0.1 MB"),
    "gzip bomb without a length": (lambda: page(BOMB, Content_Encoding="gzip", Content_Length=""), "larger than 0.1"),
    "bomb in a bomb": (lambda: page(gzip.compress(BOMB), Content_Encoding="gzip, gzip"), "not asked for"),
    "deflate": (lambda: page(zlib.compress(b"text"), Content_Encoding="deflate"), "not asked for"),
    "brotli": (lambda: page(b"text", Content_Encoding="br"), "not asked for"),
    "no gzip": (lambda: page(b"text", Content_Encoding="gzip"), "cannot be unpacked"),
    "half a gzip": (lambda: page(gzip.compress(b"text" * 99)[:-9], Content_Encoding="gzip"), "cannot be unpacked"),
    "more behind a gzip": (
        lambda: page(gzip.compress(b"a") + BOMB[:99], Content_Encoding="gzip"),
        "cannot be unpacked",
    ),
    "one of many headers": (
        lambda: (OPENING, *[b"X-%d: %s\r\n" % (n, b"a" * 900) for n in range(2000)]),
        "broke off|large",
    ),
    "one huge header": (lambda: (OPENING, b"X: " + b"a" * 3_000_000), "broke off|large"),
    "interim answers": (lambda: endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 99), "large|broke off"),
    "less than it says": (lambda: page("short", Content_Length=100), "broke off"),
    "nothing": (lambda: (), "broke off"),
    "no web server": (lambda: (b"SSH-2.0-OpenSSH_9.2\r\n",), "broke off"),
    "two lengths": (lambda: page("text", content_length=9), "broke off"),
    "a picture": (lambda: page(b"\x89PNG", media_type="image/png"), "something else .*image/png"),
    "a page in disguise": (lambda: page(media_type="application/octet-stream"), "something else"),
    "no type": (lambda: page(media_type=""), "without a type"),
    "no content": (lambda: page("", status=204), "204"),
    "a part": (lambda: page("part", status=206), "206"),
    "not modified though never asked": (lambda: page("", status=304), "304"),
    "a redirect to nowhere": (lambda: page("", status=302), "302"),
    "not found": (lambda: page("", status=404), "no such page .404"),
    "broken": (lambda: page("", status=500), "500"),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad_answers_are_refused_in_words(bad: str, loopback: None) -> None:
    answer, words = BAD[bad]
    with web_peer(lambda path: answer()) as peer, pytest.raises(FetchFailed, match=words):
        get(f"{peer.url}/", hosts=[peer.host], max_bytes=100_000)


def test_a_bomb_is_not_unpacked() -> None:
    tracemalloc.start()
    with pytest.raises(FetchFailed, match="larger than"):
        read_body([BOMB], {"content-encoding": "gzip"}, 100_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000


def drip(*before: bytes) -> Iterator[Step]:
    yield from before
    while True:
        yield b"a"
        yield 0.02


SLOW: dict[str, Callable[[threading.Event], Any]] = {
    "silence": lambda end: (end,),
    "a drip of headers": lambda end: drip(OPENING, b"X: "),
    "a drip of text": lambda end: drip(OPENING, b"Content-Length: 99999\r\n\r\n"),
    "a page that stops": lambda end: (OPENING, b"Content-Length: 99\r\n\r\nhalf", end),
    "slow redirects": lambda end: (0.1, *redirect("/again")),
}


@pytest.mark.parametrize("slow", SLOW)
def test_the_time_is_limited_as_a_whole(slow: str, loopback: None) -> None:
    end = threading.Event()
    with web_peer(lambda path: SLOW[slow](end)) as peer, pytest.raises(FetchFailed, match=r"longer than 0\.3 seconds"):
        get(f"{peer.url}/", hosts=[peer.host], seconds=0.3, redirects=100)
    end.set()


def test_a_slow_resolver_is_not_waited_for(listener: WebPeer) -> None:
    end = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        end.wait(120)
        return []

    with pytest.raises(FetchFailed, match=r"longer than 0\.2 seconds"):
        get("https://wiki.example/", hosts=["wiki.example"], resolver=resolve, seconds=0.2)
    end.set()


def test_nobody_learns_which_names_there_are_inside_the_network(listener: WebPeer) -> None:
    told = []
    for addresses in ([], ["10.1.2.3"]):
        with pytest.raises(FetchFailed) as failure:
            get("https://wiki.example/", hosts=["wiki.example"], resolver=names(wiki_example=addresses))
        told.append(str(failure.value))
    assert told[0] == told[1]


def test_a_name_without_an_address(listener: WebPeer) -> None:
    with pytest.raises(FetchFailed, match=r"no public site nowhere\.example"):
        get("https://nowhere.example/", hosts=["nowhere.example"])


def test_the_second_address_is_tried(loopback: None) -> None:
    with web_peer(lambda path: page()) as peer:
        resolver = names(wiki_example=["127.0.0.3", "127.0.0.1"])
        found = get(f"http://wiki.example:{peer.port}/", hosts=[f"wiki.example:{peer.port}"], resolver=resolver)
        assert found.body
        with pytest.raises(FetchFailed, match="does not accept connections"):
            get(f"http://127.0.0.3:{peer.port}/", hosts=[f"127.0.0.3:{peer.port}"])


def test_a_packed_page_is_unpacked(loopback: None) -> None:
    with web_peer(lambda path: page(gzip.compress(b"text" * 999), Content_Encoding="gzip")) as peer:
        assert get(f"{peer.url}/", hosts=[peer.host]).body == b"text" * 999


@pytest.mark.parametrize(("value", "seconds"), [("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None)])
def test_a_busy_site_says_when_to_come_back(value: str, seconds: float | None, loopback: None) -> None:
    with web_peer(lambda path: page("", status=429, Retry_After=value)) as peer, pytest.raises(FetchFailed) as failure:
        get(f"{peer.url}/", hosts=[peer.host])
    assert (failure.value.status, failure.value.retry_after) == (429, seconds)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of wiki.example, signed by itself."""
    file = tmp_path_factory.mktemp("tls") / "wiki.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=w", "-addext", "subjectAltName=DNS:wiki.example", "-keyout", file, "-out", f"{file}.crt"],
        check=True, capture_output=True,
    )  # fmt: skip
    file.write_bytes(file.read_bytes() + Path(f"{file}.crt").read_bytes())
    return file


def test_the_certificate_is_that_of_the_name(certificate: Path, loopback: None) -> None:
    """The connection goes to an IP address; SNI and certificate are those of the host's name."""
    server, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=str(certificate))
    server.load_cert_chain(certificate)
    asked_for: list[str | None] = []
    server.sni_callback = lambda connection, name, context: asked_for.append(name)
    with web_peer(lambda path: page(), tls=server) as peer:

        def read(host: str, context: ssl.SSLContext | None) -> FetchedPage:
            host = f"{host}:{peer.port}"
            return get(f"https://{host}/", hosts=[host], resolver=this_machine, ssl_context=context, allow_http=False)

        assert read("wiki.example", trusting).body == b"<p>A page.</p>"
        for host, context in (("other.example", trusting), ("127.0.0.1", trusting), ("wiki.example", None)):
            with pytest.raises(FetchFailed, match="certificate that is not valid"):
                read(host, context)
    assert asked_for == ["wiki.example", "other.example", None, "wiki.example"]
    assert len(peer.asked) == 1


def test_without_a_list_any_public_host_is_fetched_and_no_other(loopback: None) -> None:
    """Here loopback stands for the public: a redirect may lead to another host of it."""
    with web_peer(lambda path: page("Found.")) as other, web_peer(lambda path: redirect(other.url)) as first:
        assert get(first.url, hosts=None).body == b"Found."


@pytest.mark.parametrize(
    "address",
    ["http://10.0.0.7/", "http://169.254.169.254/", "http://[::1]/", "http://inside.example/", "http://127.1/"],
)
def test_without_a_list_no_private_address_is_fetched(address: str) -> None:
    with pytest.raises(FetchFailed):
        get(address, hosts=None, resolver=names(inside_example=["192.168.0.9"]))


@pytest.mark.parametrize("address", [f"http://{PUBLIC}:8080/", f"https://{PUBLIC}:80/", f"http://{PUBLIC}:22/"])
def test_without_a_list_only_the_usual_port_is_tried(address: str) -> None:
    with pytest.raises(FetchFailed, match="usual port"):
        get(address, hosts=None)
