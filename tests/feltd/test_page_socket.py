"""A page at a Unix socket, behind a proxy that speaks TLS: who may knock, and what of the proxy's word is believed."""

import asyncio
import ctypes
import grp
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from debian.layout import ROOT
from feltd.page.access.roles import Role
from feltd.page.addresses import client_of_proxy, hosts_for
from feltd.page.server import PageError, PageServer, listen_at
from feltd.page.turnstile import BehindSocket
from feltd.page.wrapping import OverTlsAlone
from feltd.table.check.page_socket import open_here_note, page_socket_faults, page_socket_note
from feltd.table.config.config import Page as PageSection
from tests.feltd.page_support import SECRET, Page, connections
from tests.feltd.test_access_record import told

ADDRESS = "https://table7.casino.example"
CLONE_NEWUSER = 0x10000000
OVER_TLS = {"x-forwarded-for": "203.0.113.9, 192.0.2.7", "x-forwarded-proto": "https"}


# -- the socket's file


def test_it_is_for_the_pages_own_user_and_for_a_group_that_is_named(tmp_path: Path) -> None:
    mine, ours = tmp_path / "mine", tmp_path / "ours"
    group = grp.getgrgid(os.getgid())
    for place, name, mode in ((mine, None, 0o600), (ours, group.gr_name, 0o660)):
        with listen_at(place, name, connections()):
            found = place.stat()
            assert stat.S_ISSOCK(found.st_mode)
            assert stat.S_IMODE(found.st_mode) == mode
    assert ours.stat().st_gid == group.gr_gid


def test_what_an_earlier_page_has_left_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    place, file = tmp_path / "page.sock", tmp_path / "file"
    listen_at(place, None, connections()).close()  # ended without a word
    with listen_at(place, None, connections()), pytest.raises(PageError, match="another page listens"):
        listen_at(place, None, connections())
    file.write_text("a letter")
    with pytest.raises(PageError, match="no socket: choose another place"):
        listen_at(file, None, connections())
    assert file.read_text() == "a letter"


@pytest.mark.parametrize(
    ("place", "group", "why"),
    [("gone/page.sock", None, "cannot be listened at"), ("page.sock", "nobody-s", "there is no group"),
     ("s" * 200, None, "cannot be listened at")],
)  # fmt: skip
def test_where_it_cannot_be_the_page_says_why_and_leaves_nothing(
    tmp_path: Path, place: str, group: str | None, why: str
) -> None:
    with pytest.raises(PageError, match=why):
        listen_at(tmp_path / place, group, connections())
    assert list(tmp_path.iterdir()) == []


def test_the_check_says_what_would_be_wrong(tmp_path: Path) -> None:
    def faults(**more: Any) -> list[str]:
        return [words for _, words in page_socket_faults(PageSection.model_validate(more))]

    place = tmp_path / "page.sock"
    assert faults() == []
    assert faults(socket=place, address=ADDRESS) == []
    [no_address] = faults(socket=place)
    assert "write in address where browsers find it" in no_address
    wrong = faults(socket=tmp_path / "gone" / "page.sock", address=ADDRESS, certificate=place, socket_group="nobody-s")
    assert [words.partition(":")[0] for words in wrong] == [
        "the page speaks no TLS over its socket", f"{tmp_path / 'gone'} is no folder",
        'there is no group "nobody-s" on this machine',
    ]  # fmt: skip


def test_the_check_says_who_reaches_it_and_how_a_service_gives_it_to_them(tmp_path: Path) -> None:
    place, group = tmp_path / "page.sock", grp.getgrgid(os.getgid()).gr_name
    note = page_socket_note(PageSection.model_validate({"socket": place, "socket_group": group}))
    assert note == (
        f"[page]: reached over {place} alone, by the group {group}; as a service only where its folder gives it to "
        f"them: chgrp {group} {tmp_path}; chmod 2750 {tmp_path}"
    )
    tmp_path.chmod(0o2750)
    note = page_socket_note(PageSection.model_validate({"socket": place, "socket_group": group}))
    assert note == f"[page]: reached over {place} alone, by the group {group}"


@pytest.mark.parametrize(
    ("more", "warned"),
    [({}, True), ({"open_on_loopback": False}, False), ({"proxies": ["10.1.0.0/16"]}, False), ({"socket": "p"}, False)],
)
def test_the_check_warns_of_a_proxy_that_tells_nothing_where_the_page_is_open_here(
    tmp_path: Path, more: dict[str, Any], warned: bool
) -> None:
    if "socket" in more:
        more = {"socket": tmp_path / "page.sock", "address": ADDRESS}
    told = list(open_here_note("page", PageSection.model_validate({"open_on_loopback": True, **more})))
    assert [note.startswith("[page] open_on_loopback: who comes from this machine") for note in told] == [True] * warned


# -- within a unit's own list of users

PAGES_USER = 4242
PROXYS_GROUP = next(group for group in grp.getgrall() if group.gr_gid not in (0, 65534))


@pytest.fixture
def folder() -> Iterator[Path]:
    """The folder that an administrator makes: the page's user's and the proxy's group's. Others can reach it."""
    with tempfile.TemporaryDirectory(prefix="feltd-", dir="/tmp") as made:
        Path(made).chmod(0o755)
        place = Path(made, "proxy")
        place.mkdir()
        os.chown(place, PAGES_USER, PROXYS_GROUP.gr_gid)
        yield place


def in_its_own_list_of_users(work: Callable[[], object]) -> str:
    """Do it as the page's user in a process that sees that user and its group alone; return what it raised, or "".

    systemd makes such a process for PrivateUsers=yes. Skips where this kernel makes none.
    """
    (ready, tell_ready), (mapped, tell_mapped), (said, say) = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(PAGES_USER)
            os.setuid(PAGES_USER)
            made = ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0
            os.write(tell_ready, b"y" if made else b"n")
            os.read(mapped, 1)
            work()
        except Exception as fault:  # noqa: BLE001 - it is told on the other side
            os.write(say, str(fault).encode())
        finally:
            os._exit(0)
    made = os.read(ready, 1) == b"y"
    if made:
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{child}/{name}").write_text(f"0 0 1\n{PAGES_USER} {PAGES_USER} 1\n")
    os.write(tell_mapped, b"y")
    os.close(say)
    told = b"".join(iter(lambda: os.read(said, 4096), b"")).decode()
    os.waitpid(child, 0)
    for end in (ready, tell_ready, mapped, tell_mapped, said):
        os.close(end)
    if not made:
        pytest.skip("this kernel gives nobody a list of users of his own")
    return told


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder to a group that it is not in")


@needs_root
def test_a_page_that_sees_no_other_group_gives_the_socket_to_the_proxys_by_its_folder(folder: Path) -> None:
    folder.chmod(0o2750)
    place = folder / "page.sock"
    assert in_its_own_list_of_users(lambda: listen_at(place, PROXYS_GROUP.gr_name, connections())) == ""
    found = place.stat()
    assert (found.st_uid, found.st_gid) == (PAGES_USER, PROXYS_GROUP.gr_gid)
    assert stat.S_IMODE(found.st_mode) == 0o660


@needs_root
def test_where_the_folder_gives_nothing_the_page_says_what_to_do_and_nobody_may_knock(folder: Path) -> None:
    folder.chmod(0o750)
    place = folder / "page.sock"
    told = in_its_own_list_of_users(lambda: listen_at(place, PROXYS_GROUP.gr_name, connections()))
    assert f"it is not given to the group {PROXYS_GROUP.gr_name}: give that group the folder, with mode 2750" in told
    assert not place.exists()


def test_the_pages_unit_lets_it_write_into_that_folder_and_still_sees_no_other_group() -> None:
    unit = (ROOT / "systemd" / "20-page.conf").read_text(encoding="utf-8").splitlines()
    assert {"PrivateUsers=yes", "ReadWritePaths=-/run/feltd-proxy"} <= set(unit)
    guide = (ROOT / "docs" / "visitors.md").read_text(encoding="utf-8")
    assert "d /run/feltd-proxy 2750 feltd-page www-data -" in guide
    assert 'socket = "/run/feltd-proxy/page.sock"' in guide


# -- what the proxy says


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ([], ""),
        (["192.0.2.7"], "192.0.2.7"),
        (["203.0.113.9, 192.0.2.7"], "192.0.2.7"),  # what stands before, anybody can have written
        (["203.0.113.9", "192.0.2.7"], "192.0.2.7"),
        (["192.0.2.7, 10.0.0.2"], "192.0.2.7"),  # another proxy of ours before this one
        (["192.0.2.7, nonsense"], ""),
        (["nonsense, 10.0.0.2"], "10.0.0.2"),
        (["::ffff:192.0.2.7"], "192.0.2.7"),
    ],
)
def test_who_asks_is_the_proxys_own_entry(forwarded: list[str], client: str) -> None:
    named = PageSection.model_validate({"proxies": ["10.0.0.2"]}).proxies
    assert client_of_proxy(forwarded, named) == client


def test_a_page_on_loopback_answers_to_its_address_too() -> None:
    assert "table7.casino.example" in hosts_for("127.0.0.1", f"{ADDRESS}:8443")
    assert "evil.example" not in hosts_for("127.0.0.1", ADDRESS)
    assert list(hosts_for("10.0.0.7", ADDRESS)) == ["*"]


# -- the page over it


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def made() -> Page:
        page = Page(tmp_path, secure=True, address=ADDRESS, hosts=hosts_for("127.0.0.1", ADDRESS))
        page.bench.open_table()
        await page.bench.synced()
        page.accounts.add("supervisor", Role.SUPERVISOR, SECRET)
        return page

    page = asyncio.run(made())
    yield page
    page.close()


def over_socket(page: Page, folder: Path, scene: Callable[[httpx.AsyncClient, Path], Any]) -> Any:
    """Play a scene with the page at a socket."""
    place = folder / "page.sock"

    async def played() -> Any:
        app = BehindSocket(OverTlsAlone(page.app), ())
        server = PageServer(app, listen_at(place, None, connections()), None, (page.hub, page.feed))
        assert server.address == str(place)
        await server.start()
        try:
            transport = httpx.AsyncHTTPTransport(uds=str(place))
            async with httpx.AsyncClient(transport=transport, base_url="http://table7.casino.example") as client:
                return await scene(client, place)
        finally:
            await server.stop()

    answer = asyncio.run(played())
    assert not place.exists()
    return answer


def test_over_tls_before_the_proxy_cookies_are_for_tls_and_the_record_has_who_asked(page: Page, tmp_path: Path) -> None:
    async def scene(client: httpx.AsyncClient, _: Path) -> list[httpx.Response]:
        asked = {"name": "supervisor", "password": SECRET}
        headers = {**OVER_TLS, "origin": ADDRESS}
        return [
            await client.get("/", headers=OVER_TLS),
            await client.get("/sign-in", headers={"x-forwarded-proto": "http"}),
            await client.get("/sign-in", headers=[("x-forwarded-proto", "https"), ("x-forwarded-proto", "https")]),
            await client.get("/sign-in", headers={"host": "evil.example", **OVER_TLS}),
            await client.post("/api/v1/session", json=asked, headers={**headers, "origin": "https://evil.example"}),
            await client.post("/api/v1/session", json=asked, headers=headers),
        ]

    first, plain, twice, elsewhere, foreign, inside = over_socket(page, tmp_path, scene)
    assert (first.status_code // 100, first.headers["location"].startswith("/sign-in")) == (3, True)
    assert "max-age" in first.headers["strict-transport-security"]
    assert [("strict-transport-security" in one.headers) for one in (plain, twice)] == [False, False]
    assert (elsewhere.status_code, foreign.status_code, inside.status_code) == (400, 403, 200)
    [cookie] = [one for one in inside.headers.get_list("set-cookie") if one.startswith("__Host-feltd=")]
    assert "secure" in cookie.lower()
    assert [entry["from"] for entry in told(page) if entry["what"] == "signed_in"] == ["192.0.2.7"]


def test_a_request_of_two_lengths_is_one_request_and_refused(page: Page, tmp_path: Path) -> None:
    smuggled = (
        b"POST /api/v1/session HTTP/1.1\r\nHost: table7.casino.example\r\nContent-Length: 6\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: table7.casino.example\r\n\r\n"
    )

    async def scene(_: httpx.AsyncClient, place: Path) -> bytes:
        reader, writer = await asyncio.open_unix_connection(place)
        writer.write(smuggled)
        answer = await reader.read()  # to its end: the connection is closed
        writer.close()
        return answer

    answer = over_socket(page, tmp_path, scene)
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1
