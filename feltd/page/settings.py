"""What a page is told of its place and its own files."""

from dataclasses import dataclass
from pathlib import Path

from feltd.page.addresses import Network
from feltd.page.limits.facts import PageLimits
from feltd.text.language import Language


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """Where bookmarks are sent. `key_file`: of the key that signs them. `ca_file`: certificates that the receiver's
    must come from, PEM; None: the machine's own."""

    url: str
    key_file: Path
    ca_file: Path | None = None


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The place where a page is served, and its files.

    `name`: the table's, for when it does not say so itself. `port`: 0 takes any that is free. `accounts`: the file of
    accounts. `own_files`: the folder for a certificate that the page makes itself. `index`: the file of a table's
    history's index. `certificate`, `certificate_key`: the operator's, PEM. `idle_minutes`: the time without a touch
    after which somebody only looks. `open_on_loopback`: anybody on this machine may read the page without signing in.
    `zone`: in which times are told, None: the controller's; `twelve_hours`: by a clock of 12 hours. `currency`: of
    tournaments over many tables (ISO 4217), None: their amounts name none. `language`: of
    those whose browser asks for none that feltd speaks. `proxies`: whose word for where a request comes from is
    believed. `second_factor`: the roles, by name, that do nothing without one. `webhook`: None sends nothing.
    `socket`: listened at in place of host and port, by a proxy on this machine, of `socket_group` or the page's user.
    `address`: as browsers show it; `keys_at`: the same where security keys work there.
    `screens`: how players are named on a tournament's screens that nobody signs in to; None: there are none.
    `tournament_books`: the folder of the operator's own; None: there is none.
    `ended`: where it is written how the table's process has ended; None: nowhere.
    `pit_file`: the pit page's own file, which commands about its accounts are given.
    """

    name: str
    host: str
    port: int
    accounts: Path
    own_files: Path
    limits: PageLimits
    index: Path | None = None
    certificate: Path | None = None
    certificate_key: Path | None = None
    idle_minutes: float = 15.0
    open_on_loopback: bool = False
    proxies: tuple[Network, ...] = ()
    zone: str | None = None
    twelve_hours: bool = False
    currency: str | None = None
    language: Language = Language.ENGLISH
    second_factor: tuple[str, ...] = ()
    webhook: WebhookSettings | None = None
    screens: str | None = None
    tournament_books: Path | None = None
    address: str | None = None
    socket: Path | None = None
    socket_group: str | None = None
    keys_at: str | None = None
    ended: Path | None = None
    pit_file: Path = Path("/etc/feltd/pit/pit.toml")
