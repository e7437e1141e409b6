"""A page on a real table, and browsers that ask it without a socket."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from feltd.door import BadgeHolder
from feltd.launcher.page_process import limits_of
from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import AccountBook
from feltd.page.access.known_devices import KnownDevices
from feltd.page.access.roles import Role
from feltd.page.access.security_keys import KeysPlace
from feltd.page.access.sessions import Sessions
from feltd.page.access.signing_in import SigningIn
from feltd.page.access.staff import staff_of
from feltd.page.access.telling import AccessTeller
from feltd.page.api.app import Parts, make_api
from feltd.page.api.feed import Feed, from_record
from feltd.page.api.guard import CSRF_HEADER, Guard
from feltd.page.api.hub import Hub
from feltd.page.api.on_record import OnRecord
from feltd.page.api.state import state_as_json
from feltd.page.app import make_app
from feltd.page.connections import Connections
from feltd.page.history.deliveries import Deliveries
from feltd.page.history.desk import HistoryDesk
from feltd.page.history.index import HistoryIndex
from feltd.page.limits.facts import PageLimits
from feltd.page.limits.places import StreamPlaces
from feltd.page.limits.refusals import Refusals
from feltd.page.metrics import PageCounters, metrics_text
from feltd.page.opening import unwell
from feltd.page.rules_routes import add_rules
from feltd.record.rows import JournalRows
from feltd.table.config.config import Page as PageSection
from feltd.table.config.devices import DeviceConfig
from feltd.table.config.key_files import KeyFile
from feltd.table.daemon.assembly import ends_of
from feltd.table.daemon.at_the_door import AtTheDoor
from feltd.table.host.health import LoopLag
from feltd.table.keeper.badge_pins import BadgePins, PinsWanted, pins_file_of
from feltd.table.keeper.badges import BadgeGate, signing_roles
from feltd.table.keeper.changes import Changes
from feltd.table.keeper.signatures import Signatures
from feltd.table.keeper.staff import ListedBadges, StaffList
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.links import Reach
from feltd.table.packs.pack_file import PackShelf, packs_file_of
from feltd.table.workshop.workshop import Workshop
from table_fsm.events import TableOpen
from table_fsm.felt import StaffRole
from tests.feltd.table_support import BOOKS, HOLDEM, KEY, Bench, FakeTime
from tests.feltd.test_daemon_bridge import DEVICES

SECRET = "a horse, and a staple"
HOSTS = ("testserver", "localhost")
CARDS = {
    "S1": StaffRole.SUPERVISOR,
    "S1042": StaffRole.SUPERVISOR,
    "I1": StaffRole.INSPECTOR,
    "D1": StaffRole.DEALER,
}
"""The badges in the settings of the badge reader."""


def index_beside(journal: Path) -> Path:
    """Where the index of a journal is."""
    return journal.with_name(f"{journal.name}.index")


def index_of(journal: Path, at: Path | None = None) -> HistoryIndex:
    """The index of a journal, beside it unless another place is given."""
    return HistoryIndex(lambda: JournalRows(journal), at or index_beside(journal))


def limits(**changed: float) -> PageLimits:
    """The limits that a table has whose file says nothing of them, but for those that are given."""
    return replace(limits_of(PageSection()), **changed)  # type: ignore[arg-type]  # each is a number


def connections(**changed: float) -> Connections:
    """A register for a page's connections, with limits as above."""
    return Connections(limits(**changed), Refusals())


class Timers:
    """What is to be done later is done when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def later(self, _seconds: float, what: Callable[[], None]) -> Callable[[], None]:
        self.waiting.append(what)
        return lambda: self.waiting.remove(what) if what in self.waiting else None

    def run_out(self) -> None:
        """All of it is due."""
        waiting, self.waiting = self.waiting, []
        for what in waiting:
            what()


def devices_in(folder: Path) -> tuple[DeviceConfig, ...]:
    """The devices of a table, each with a key of its own in a file; the badge reader's is handed over."""
    more = [
        {"name": "keys", "role": "keys", "port": "/dev/serial/by-id/keys", "key_file": KeyFile(path=Path("k"))},
        {
            "name": "badge",
            "role": "badge",
            "port": "/dev/serial/by-id/badge",
            "key_file": KeyFile(path=Path("k")),
            "settings": {"keypad": True},
        },
    ]
    devices = [*DEVICES, *(DeviceConfig.model_validate(one) for one in more)]
    made = []
    for number, device in enumerate(devices):
        path = folder / f"{device.role}.key"
        if not path.exists():
            path.write_bytes(bytes(range(number, number + 32)))
        made.append(device.model_copy(update={"key_file": KeyFile(path=path)}))
    return tuple(made)


class StaffOfAccounts:
    """A list that is always that of the accounts, and has the readers' cards beside them."""

    nobody_decides: None = None

    def __init__(self, accounts: AccountBook) -> None:
        self._accounts = accounts

    def holder(self, badge: str) -> BadgeHolder:
        """As `StaffList`."""
        return self._listed().holder(badge)

    def may_decide(self, badge: str) -> bool:
        """As `StaffList`."""
        return self._listed().may_decide(badge)

    def _listed(self) -> ListedBadges:
        return ListedBadges(staff_of(self._accounts), CARDS)


class Page:
    """A page on a real table with devices that are not there. Made within a running loop."""

    def __init__(
        self,
        folder: Path,
        *,
        open_here: bool = True,
        secure: bool = False,
        hosts: Sequence[str] = HOSTS,
        address: str | None = None,
        pins: PinsWanted = PinsWanted.OF_WEIGHT,
    ) -> None:
        """`address`: at which security keys work, as browsers show it."""
        self.bench = Bench(folder, FakeTime())
        self.connections = connections()
        """Those of its server, for a test that has one."""
        devices = devices_in(folder)
        keys = {device.name: device.wire_key.read() for device in devices if device.wire_key is not None}
        changes = Changes()
        self.shelf = shelf = PackShelf(packs_file_of(self.bench.journal.path), KEY)
        bench, bridge = (
            self.bench,
            Bridge(
                devices, keys, {}, make_drivers(devices), wall=lambda: self.bench.time.wall, changed=changes.tell,
                reach=Reach(packs=shelf.in_play),
            ),
        )  # fmt: skip
        bridge.slots["indicators"].online = True  # as its display is read in most tests
        bench.tell, self.bridge = changes.tell, bridge
        self.timers = Timers()
        self.workshop = Workshop(devices, keys, bench.keeper, bridge, bench.journal, self.timers.later, shelf)
        self.accounts = AccountBook(folder / "accounts.json")
        self.staff = StaffList(folder / "staff.json", CARDS)
        self.pins_file = pins_file_of(bench.journal.path)
        self.pins = BadgePins(self.pins_file, KEY, lambda: bench.keeper.now, wanted=pins)
        of_accounts = StaffOfAccounts(self.accounts)
        self.signatures = Signatures(
            bench.keeper, bridge.indicating, of_accounts, changes.tell, lambda what: what(), self.pins
        )
        gate = BadgeGate(self.staff, lambda: signing_roles(BOOKS.values()), self.signatures, self.pins)
        bridge.connect(ends_of(bench.keeper, self.workshop, gate))
        self.door = AtTheDoor(
            "Table 7",
            self.workshop,
            self.signatures,
            self.staff,
            LoopLag(),
            changes,
        )
        self.hub = Hub(self._state)
        changes.subscribe(self.hub.changed)
        self.refusals = Refusals()
        self.feed = Feed(from_record(self.door.open_record), lambda: self.bench.time.wall, self.refusals)
        self.door.on_answers(self.feed.record)
        clock = self._clock
        self.record = AccessTeller(self.door, clock, lambda: self.bench.time.wall)
        self.news = AccountNews(self.accounts, folder, self.record)
        self.sessions = Sessions(self.accounts, clock, self.record.session_over, self.record.session_paused)
        browsers = KnownDevices(self.accounts, b"0" * 32, lambda: self.bench.time.wall)
        signing_in = SigningIn(
            self.accounts, self.sessions, browsers, clock, lambda: self.bench.time.wall, self.refusals, self.record,
            None if address is None else KeysPlace(address),
        )  # fmt: skip
        self.guard = guard = Guard(signing_in, secure=secure, address=address, open_on_loopback=open_here)
        self.desk = HistoryDesk(self.door.open_record, index_beside(bench.journal.path), BOOKS, self.refusals)
        self.places = StreamPlaces(limits(), self.refusals)
        exports = OnRecord(self.door, clock, lambda: bench.time.wall)
        self.deliveries = Deliveries()
        self.api = make_api(
            Parts(
                guard, self.door, self.hub, self.feed, self.desk, self.places, exports, self.deliveries, self.news,
                lambda: bench.time.wall, clock,
            )
        )  # fmt: skip
        self.app = make_app(
            self.api, guard, self._state, self.desk, exports,
            metrics=self._metrics, unwell=lambda: unwell(self.door),
            hosts=hosts,
        )  # fmt: skip
        add_rules(self.app, BOOKS, self._in_force)

    def state(self) -> dict[str, Any]:
        """The state as the page shows it."""
        return state_as_json(self.door.now())

    async def _state(self) -> dict[str, Any]:
        return self.state()

    async def _in_force(self) -> str:
        return HOLDEM

    async def _metrics(self) -> bytes:
        counters = PageCounters(len(self.connections), len(self.places), self.refusals.counts)
        return metrics_text(self.door.now(), await self.door.counters(), counters)

    def _clock(self) -> float:
        return self.bench.time.monotonic

    def close(self) -> None:
        """Nobody looks any more."""
        self.desk.close()
        self.bench.journal.close()

    def session(self, role: Role, name: str | None = None) -> dict[str, str]:
        """The headers of somebody who is signed in, without the half second that a password takes."""
        name = name or role.value
        account = self.accounts.get(name) or self.accounts.add(name, role, SECRET)
        token, session = self.sessions.begin(account, "127.0.0.1")
        return {"cookie": f"feltd={token}", CSRF_HEADER: session.csrf}


@contextmanager
def open_page(folder: Path, opened: TableOpen) -> Iterator[Page]:
    """A page on a table that has been opened and recorded, for tests that are no coroutines."""

    async def make() -> Page:
        made = Page(folder)
        made.bench.keeper.open_with(opened)
        await made.bench.synced()
        return made

    page = asyncio.run(make())
    try:
        yield page
    finally:
        page.close()


class Browser:
    """Asks the application without a socket. `headers` go along with every request."""

    def __init__(self, page: Page, headers: dict[str, str] | None = None, address: str = "127.0.0.1") -> None:
        self._transport = httpx.ASGITransport(app=page.app, client=(address, 4711))
        self._headers = headers or {}

    def get(self, address: str, headers: dict[str, str] | None = None) -> httpx.Response:
        return self.request("get", address, headers)

    def post(self, address: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        return self.request("post", address, headers, body)

    def request(
        self, method: str, address: str, headers: dict[str, str] | None = None, body: Any = None
    ) -> httpx.Response:
        return asyncio.run(self.ask(method, address, headers, body))

    async def ask(
        self, method: str, address: str, headers: dict[str, str] | None = None, body: Any = None
    ) -> httpx.Response:
        """The same within a running loop."""
        sent = {**self._headers, **(headers or {})}
        async with httpx.AsyncClient(transport=self._transport, base_url="http://localhost", timeout=None) as client:
            return await client.request(method, address, headers=sent, json=body)

    async def send(self, method: str, address: str, headers: dict[str, str], body: Any) -> httpx.Response:
        """The same with a body as it is: bytes, or pieces of them."""
        async with httpx.AsyncClient(transport=self._transport, base_url="http://localhost", timeout=None) as client:
            return await client.request(method, address, headers={**self._headers, **headers}, content=body)
