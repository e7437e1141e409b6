"""Whose address a request comes from, and which addresses count as one."""

from ipaddress import ip_network
from pathlib import Path

import pytest
from starlette.requests import Request

from feltd.door import AccessFact, Away
from feltd.page.addresses import HOPS_MOST, client_behind
from feltd.page.doorway import doorway
from feltd.page.settings import PageSettings
from feltd.text.ip_addresses import counted_as
from tests.feltd.page_support import limits

PROXIES = (ip_network("10.0.0.2/32"), ip_network("fd00::/64"))


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("fe80::2%eth1", "fe80::/64"),
        ("", ""),
        ("no address", "no address"),
    ],
)
def test_an_ipv4_address_counts_whole_and_an_ipv6_address_by_its_network(host: str, counted: str) -> None:
    assert counted_as(host) == counted


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.7", [], "192.0.2.7"),
        ("192.0.2.7", ["127.0.0.1"], "192.0.2.7"),  # nobody has said that its word counts
        ("10.0.0.2", [], "10.0.0.2"),
        ("10.0.0.2", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.2", ["127.0.0.1, 192.0.2.7"], "192.0.2.7"),  # the first one is the visitor's own invention
        ("10.0.0.2", ["127.0.0.1", "192.0.2.7, fd00::5"], "192.0.2.7"),  # two proxies, one behind the other
        ("::ffff:10.0.0.2", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.2", ["unknown"], "10.0.0.2"),
        ("10.0.0.2", ["192.0.2.7, "], "10.0.0.2"),
        ("10.0.0.2", ["10.0.0.2"], "10.0.0.2"),
        ("10.0.0.2", ["192.0.2.7, " + "10.0.0.2, " * HOPS_MOST + "10.0.0.2"], "10.0.0.2"),
    ],
)
def test_a_proxy_that_is_named_is_believed_and_nobody_else(peer: str, forwarded: list[str], client: str) -> None:
    assert client_behind(peer, forwarded, PROXIES) == client


@pytest.mark.parametrize(
    ("proxies", "opened"),
    [((), True), (("10.0.0.2",), True), (("127.0.0.1",), False), (("10.0.0.2", "::1"), False), (("0.0.0.0/0",), False),
     (("::ffff:127.0.0.1",), False)],
)  # fmt: skip
def test_where_a_proxy_is_on_this_machine_nobody_reads_there_without_signing_in(
    tmp_path: Path, proxies: tuple[str, ...], opened: bool, caplog: pytest.LogCaptureFixture
) -> None:
    settings = PageSettings(
        "Table 7", "127.0.0.1", 0, tmp_path / "accounts.json", tmp_path, limits(), open_on_loopback=True,
        proxies=tuple(map(ip_network, proxies)),
    )  # fmt: skip
    guard = doorway(settings, Nobody()).guard
    scope = {
        "type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": "http",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 4711), "headers": [(b"host", b"127.0.0.1")],
    }  # fmt: skip
    assert (guard.caller(Request(scope)) is not None) is opened
    assert ("open_on_loopback does not count" in caplog.text) is not opened


class Nobody:
    """A door behind which there is no table."""

    away = Away("no table")

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Nothing is told."""
