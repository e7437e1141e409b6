"""One table's configuration: one TOML file, every fault of it named at once.

`load_config` reads a file and gives a `TableConfig`, or raises `ConfigError` with every problem: file, line, key and
what is allowed. A key that nobody reads is a problem. What the machine lacks (a port, a permission) is not looked at
here: see `feltd.table.check.check`. Relative paths count from the folder the file is in; a port is a full path.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field, PrivateAttr, ValidationError

from devices.pins.facts import Pins
from feltd.door.floor_signing import KEYS_MOST
from feltd.door.wishing import Setting
from feltd.table.config.across import across, tables_of
from feltd.table.config.devices import DeviceConfig, UsbSection
from feltd.table.config.fields import (
    FilePath,
    FloorKey,
    KeyPlace,
    Loose,
    Network,
    PageAddress,
    ReceiptKeyText,
    Seat,
    Section,
    Text,
    UnsealingKey,
    Zone,
)
from feltd.table.config.limits import Limits
from feltd.table.config.webhook import Webhook
from feltd.text.errors import FeltdError
from feltd.text.language import Language
from feltd.text.page_roles import PageRole
from table_fsm.events import TableOpen
from table_fsm.felt import Decision
from toml_text.faults import Places, Problem
from toml_text.lines import locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml

AT_REST_LEAST: Final = 10.0
"""Seconds between two heads of the record while nothing happens, where any are signed."""
DEFAULT_SHORT_LOSS: Final = 2.0
"""Seconds."""
OF_THE_PAGE: Final = "page"
"""The folder beside a record that belongs to the page, where that is another user: the package makes one."""
_S = TypeVar("_S", bound=BaseModel)


class ConfigError(FeltdError):
    """A configuration that cannot be used. `problems` lists every fault."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class ConfigFileError(FeltdError):
    """A configuration file that is not there or cannot be read at all."""


class Play(Section):
    """`[table]`: what is played, and where."""

    name: Text = Field(description="the table's name, as people say it")
    rulebook: Text = Field(description='a rulebook\'s id ("feltd rules" lists them)')
    options: dict[str, Any] = Field(default={}, description="the rulebook's options")
    seats: Annotated[tuple[Seat, ...], Loose] = Field(description="the seats with an active player when play starts")
    button: Seat | None = Field(default=None, description="the seat where button or buck stands")
    rulebooks: FilePath | None = Field(default=None, description="a folder with rulebooks of one's own")
    zone: Zone | None = Field(default=None, description="the time zone that people read; left out, the controller's")
    language: Annotated[Language, Loose] = Field(
        default=Language.ENGLISH, description="the language of the display and the page: en or de"
    )
    badge_pins: bool | None = Field(
        default=None,
        description="true: a badge decides with its PIN alone, and witnesses so where its reader takes one; left out: "
        "what needs a reason is signed with a PIN alone; false: a PIN is wanted where a badge has one",
    )
    clock_hours: Literal[12, 24] = Field(default=24, description="the clock that people read: 12 hours or 24")

    def opening(self, t: float = 0.0) -> TableOpen:
        """The event that opens this table, at `t` seconds."""
        return TableOpen(
            t=t, rulebook=self.rulebook, options=dict(self.options), seats=list(self.seats), button=self.button
        )


class Links(Section):
    """`[links]`: what is borne of the lines to the devices."""

    short_loss_seconds: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=DEFAULT_SHORT_LOSS,
        description="seconds for which a line may be lost without being a fault of its device; 0: every loss is one",
    )


class Page(Section):
    """`[page]`: where the page is served, who may sign in, and how long they stay so."""

    host: Text = Field(default="127.0.0.1", description="the address it listens on")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=8080, description="the TCP port it listens on")
    address: PageAddress | None = Field(
        default=None,
        description="the page's address as browsers show it, https://NAME: security keys work there alone, and a pit "
        "page links to it",
    )
    socket: FilePath | None = Field(
        default=None, description="a Unix socket in place of host and port, for a reverse proxy on this machine"
    )
    socket_group: Text | None = Field(
        default=None, description="the group of that proxy, which may use the socket; left out, the page's user alone"
    )
    accounts: FilePath | None = Field(
        default=None, description="the file of accounts; left out, accounts.json in the page's folder"
    )
    idle_minutes: Annotated[int, Field(ge=1, le=720)] = Field(
        default=15, description="minutes without a touch after which the page only looks until somebody signs in again"
    )
    open_on_loopback: bool = Field(
        default=False, description="true lets anybody on this machine read the page without signing in"
    )
    certificate: FilePath | None = Field(
        default=None, description="the certificate's file, PEM, with its chain; without one feltd makes its own"
    )
    certificate_key: FilePath | None = Field(default=None, description="the certificate's private key, PEM")
    folder: FilePath | None = Field(
        default=None,
        description="the folder of the page's own files; left out, page beside the journal, or the journal's",
    )
    proxies: Annotated[tuple[Network, ...], Loose] = Field(
        default=(), description="addresses of reverse proxies whose X-Forwarded-For is believed"
    )
    second_factor: Annotated[tuple[PageRole, ...], Loose] = Field(
        default=(), description="the roles that do nothing at the page without a second factor; left out, none"
    )
    limits: Limits = Limits()
    webhook: Webhook | None = None


class Door(Section):
    """`[door]`: the socket over which the page asks the table."""

    socket: FilePath | None = Field(default=None, description="its path; left out, beside the journal")
    user: Text | None = Field(default=None, description="the user the page runs as; left out, the table's own")
    uplink: Text | None = Field(
        default=None,
        description="the user the uplink to the floor runs as, who may read the record; left out, nobody",
    )


class Floor(Section):
    """`[floor]`: how far the table obeys the floor."""

    may: Annotated[tuple[Annotated[Decision, Loose], ...], Loose] = Field(
        default=(), description="the decisions that people at the floor may take here; left out, none"
    )
    tournament: bool = Field(
        default=False,
        description="true lets a tournament over many tables seat players here, take them away and set its clock",
    )
    books: Annotated[tuple[Text, ...], Loose] = Field(
        default=(),
        description="ids of the rulebooks that the floor may wish here, signed by a key of `keys`; left out, none",
    )
    versions: bool = Field(
        default=False,
        description="true lets the floor say which version a board made from an image installs by night, signed by a "
        "key of `keys`; it installs no other then",
    )
    settings: Annotated[tuple[Annotated[Setting, Loose], ...], Loose] = Field(
        default=(),
        description="the settings that the floor may wish otherwise here, signed by a key of `keys`; left out, none",
    )
    keys: Annotated[tuple[FloorKey, ...], Loose, Field(max_length=KEYS_MOST)] = Field(
        default=(),
        description="the floor's own keys, of which one must have signed what the floor wants here: one, and the next "
        "while it is replaced; left out, TLS alone says that it is the floor",
    )
    receipts: Annotated[tuple[ReceiptKeyText, ...], Loose, Field(max_length=2)] = Field(
        default=(),
        description="the keys by which the floor signs receipts, as `feltd floor receipt-key` prints them: two while "
        "one is replaced; left out, the record has none",
    )

    @property
    def receipt_keys(self) -> tuple[bytes, ...]:
        """The keys by which the floor signs receipts."""
        return tuple(map(bytes.fromhex, self.receipts))


def _at_rest(seconds: float) -> float:
    if 0.0 < seconds < AT_REST_LEAST:
        raise ValueError(f"{seconds:g}: give 0, or {AT_REST_LEAST:g} at least: each one is written to the disk")
    return seconds


FOR_A_WITNESS: Final = 20.0
"""Seconds between two heads at rest, for a witness that takes a minute for silence."""


class JournalPlace(Section):
    """`[journal]`: where the record is kept."""

    path: FilePath = Field(description="the journal's file")
    sealing_key_file: KeyPlace = Field(
        description="the file with the key that seals face-down cards, or credential:NAME"
    )
    gather_seconds: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=0.0,
        description="how long an event that its device keeps waits to be written with others, which spares a memory "
        "card; 0: each is written at once",
    )
    witness: bool = Field(
        default=False,
        description="true where a witness takes the signed heads: then the end of the record is signed at rest too",
    )
    sign_at_rest_seconds: Annotated[float, Field(ge=0.0, le=600.0), AfterValidator(_at_rest)] | None = Field(
        default=None,
        description="how often the end of the record is signed once more while nothing happens, as a sign of life for "
        "a witness; 10 at least, 0: never; left out, every 20 seconds with witness, else never",
    )

    @property
    def signs_at_rest(self) -> float:
        """Seconds after which the end of the record is signed once more while nothing happens; 0: never."""
        if self.sign_at_rest_seconds is not None:
            return self.sign_at_rest_seconds
        return FOR_A_WITNESS if self.witness else 0.0


class Record(Section):
    """`[record]`: who may read of the record what the table does not show."""

    sealed_to: UnsealingKey | None = Field(
        default=None,
        description="the line that `feltd record key FILE` prints: who may read cards that no round showed; left out, "
        "nobody",
    )


DELAY_LEAST: Final = 15
"""Minutes after a round's end before which no card of it goes to a broadcast."""


class Broadcast(Section):
    """`[broadcast]`: who gets the cards of rounds that are over, while two persons have turned it on."""

    sealed_to: UnsealingKey = Field(description="the line that `feltd record key FILE` prints, of a pair of its own")
    delay_minutes: Annotated[int, Field(ge=DELAY_LEAST, le=1440)] = Field(
        default=DELAY_LEAST, description="minutes after a round's end for which the table holds its cards back"
    )


class TableConfig(Section):
    """A table's whole configuration."""

    table: Play = Field(description="a section [table] with name, rulebook and seats")
    devices: Annotated[tuple[DeviceConfig, ...], Loose] = Field(default=(), alias="device")
    pins: Pins | None = None
    usb: UsbSection | None = None
    links: Links = Links()
    page: Page = Page()
    door: Door = Door()
    floor: Floor = Floor()
    journal: JournalPlace = Field(description="a section [journal] with path and sealing_key_file")
    record: Record = Record()
    broadcast: Broadcast | None = None
    _written: Mapping[str, str] = PrivateAttr(default_factory=dict)

    @property
    def written(self) -> Mapping[str, str]:
        """By section of the file, a digest of what it says there; empty where it was read from no file.

        Two files that differ in comments or order alone have the same ones.
        """
        return self._written

    @property
    def shown_name(self) -> str:
        """The table's name, for people."""
        return self.table.name

    @property
    def accounts_file(self) -> Path:
        """The file with the accounts of the page."""
        return self.page.accounts or self.page_folder / "accounts.json"

    @property
    def page_folder(self) -> Path:
        """The folder of the page's own files."""
        return page_folder_of(self.page, self.journal.path)

    @property
    def door_socket(self) -> Path:
        """The socket over which the page asks the table."""
        return self.door.socket or self.journal.path.with_name(f"{self.journal.path.name}.door")

    @property
    def staff_file(self) -> Path:
        """The file with the people whose badges count at the table."""
        return staff_file_of(self.journal.path)


def staff_file_of(journal: Path) -> Path:
    """The file beside a journal with the people whose badges count."""
    return journal.with_name("staff.json")


def page_folder_of(page: Page, journal: Path) -> Path:
    """The folder of the page's own files: the one named, else `page` beside the journal, else the journal's own."""
    if page.folder is not None:
        return page.folder
    own = journal.with_name(OF_THE_PAGE)
    return own if own.is_dir() else journal.parent


def load_config(file: Path) -> TableConfig:
    """Read a table's file.

    Raises ConfigFileError (it cannot be read), ConfigError (every fault in it).
    """
    return read_config(read_text(file), str(file), file.parent)


def read_text(file: Path) -> str:
    """The file's text. Raises ConfigFileError."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigFileError(f"{file}: no such file") from None
    except OSError as fault:
        raise ConfigFileError(f"{file}: cannot be read: {fault.strerror}") from None
    except UnicodeDecodeError as fault:
        raise ConfigFileError(f"{file}: no UTF-8 text: byte {fault.start} cannot be read") from None


def read_config(text: str, file: str, folder: Path) -> TableConfig:
    """Read a table's TOML text.

    `file`: its name in the messages; relative paths count from `folder`. Raises ConfigError.
    """
    try:
        document = read_toml(text)
    except TomlSyntaxError as fault:
        raise ConfigError([Problem(file, fault.line, "", str(fault))]) from None
    places = Places(file, locate(text))
    config, problems = None, [places.problem(path, words) for path, words in across(document)]
    try:
        config = TableConfig.model_validate(document, context={"folder": folder})
    except ValidationError as faults:
        problems += [places.problem(fault.path, fault.what) for fault in schema_faults(TableConfig, document, faults)]
    if problems or config is None:
        raise ConfigError(sorted(problems, key=lambda problem: (problem.line or 0, problem.key)))
    config._written = {name: _digest(said) for name, said in document.items()}
    return config


def _digest(said: Any) -> str:
    """Sixteen digits of a section's SHA-256: enough to see that it was changed."""
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class SoundSections:
    """The sections of a document that are valid by themselves.

    `devices`: by position. `all_devices`, `all_pins`: all that the document has, valid or not, as written.
    """

    table: Play | None
    devices: dict[int, DeviceConfig]
    all_devices: list[dict[str, Any]]
    pins: Pins | None
    all_pins: dict[str, Any]
    usb: UsbSection | None
    page: Page | None
    door: Door | None
    journal: JournalPlace | None
    record: Record | None


def sound_sections(document: dict[str, Any], folder: Path) -> SoundSections:
    """The usable sections of a document that may have faults."""
    devices = {n: _sound(DeviceConfig, device, folder) for n, device in tables_of(document.get("device"))}
    return SoundSections(
        table=_sound(Play, document.get("table"), folder),
        devices={n: device for n, device in devices.items() if device is not None},
        all_devices=[device for _, device in tables_of(document.get("device"))],
        pins=_sound(Pins, document.get("pins"), folder),
        all_pins=pins if isinstance(pins := document.get("pins"), dict) else {},
        usb=_sound(UsbSection, document.get("usb"), folder),
        page=_sound(Page, document.get("page", {}), folder),
        door=_sound(Door, document.get("door", {}), folder),
        journal=_sound(JournalPlace, document.get("journal"), folder),
        record=_sound(Record, document.get("record", {}), folder),
    )


def _sound(section: type[_S], value: Any, folder: Path) -> _S | None:
    try:
        return section.model_validate(value, context={"folder": folder})
    except ValidationError:
        return None
