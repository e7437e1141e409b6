"""The section `[pins]` of a table's configuration: each line, its use, and its active level.

A line is a number on the chip (BCM numbers on a Raspberry Pi). Times are milliseconds where the key ends in `_ms`, else
seconds.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from devices.limits import CENTS_MAX
from table_fsm.felt import SEAT_COUNT, Marker

KEYS_MAX: Final = 24
LINE_MAX: Final = 511
HEADER_MAX: Final = 27
"""The last line of a Raspberry Pi's header, and the last that RPi.GPIO supports."""

Line = Annotated[int, Strict(), Field(ge=0, le=LINE_MAX)]
Factory = Literal["lgpio", "rpigpio", "mock"]
Level = Literal["low", "high"]
Pull = Literal["up", "down", "none"]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,23}$")]
LampName = Literal["play", "attention", "stop", "fault"]
Loose = Strict(strict=False)  # TOML has lists; the models keep tuples

_LINE: Final = "the line's number on the chip"
_ACTIVE_INPUT: Final = "the level that means it: low or high"
_PULL: Final = "the board's own resistor: up, down or none; left out, away from the active level"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class PinInput(_Section):
    """One input line. The default of `debounce_ms` differs in each kind."""

    line: Line = Field(description=_LINE)
    active: Level = Field(default="low", description=_ACTIVE_INPUT)
    pull: Pull | None = Field(default=None, description=_PULL)
    debounce_ms: Annotated[int, Field(ge=0, le=5000)] = Field(
        default=50, description="milliseconds that a level must hold to be believed"
    )

    @property
    def resistor(self) -> Pull:
        """The pull to ask for."""
        return self.pull or ("up" if self.active == "low" else "down")


class PinKey(_Section):
    """`[[pins.key]]`: a key on a line of its own, or in the matrix.

    `says`: the message of a press, as MESSAGES.md has it under "keys"; left out, the event of the key's name.
    """

    name: Word = Field(description="the key's name; where says is left out, the event that a press is")
    line: Line | None = Field(default=None, description=f"{_LINE}; or row and column")
    row: Annotated[int, Field(ge=1)] | None = Field(default=None, description="its row in pins.matrix, from 1")
    column: Annotated[int, Field(ge=1)] | None = Field(default=None, description="its column there, from 1")
    active: Level = Field(default="low", description="the level that means pressed")
    pull: Pull | None = Field(default=None, description=_PULL)
    debounce_ms: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=10, description="milliseconds in which its contacts may bounce"
    )
    glitch_ms: Annotated[int, Field(ge=0, le=100)] = Field(
        default=1, description="milliseconds: what is shorter is no press"
    )
    says: dict[str, Any] | None = Field(default=None, description='the message, e.g. { ev = "floor_called" }')

    @property
    def resistor(self) -> Pull:
        """The pull to ask for."""
        return self.pull or ("up" if self.active == "low" else "down")

    @property
    def message(self) -> dict[str, Any]:
        """The message of a press."""
        return dict(self.says) if self.says is not None else dict(NAMED.get(self.name, {"ev": self.name}))


NAMED: Final[dict[str, dict[str, Any]]] = {"supervisor": {"ev": "decision", "decision": "acknowledge"}}
"""Keys whose name is not the event's name."""


class PinMatrix(_Section):
    """`[pins.matrix]`: keys in rows, pulled low one at a time, and columns, which are read."""

    rows: Annotated[tuple[Line, ...], Loose, Field(min_length=1, max_length=8)] = Field(
        description="the lines of the rows"
    )
    columns: Annotated[tuple[Line, ...], Loose, Field(min_length=1, max_length=8)] = Field(
        description="the lines of the columns"
    )
    diodes: bool = Field(default=False, description="true where each key has a diode: any keys may then be pressed")


class PinLamp(_Section):
    """`[[pins.lamp]]`: a lamp."""

    name: LampName = Field(description="the lamp's name: play, attention, stop or fault")
    line: Line = Field(description=_LINE)
    active: Level = Field(default="high", description="the level that lights it")
    at_start: Literal["on", "off"] = Field(
        default="off", description="its state from the start until the table speaks of it"
    )
    at_stop: Literal["on", "off", "keep"] = Field(
        default="off", description="its state when feltd stops; keep: as it was last told"
    )
    at_crash: Literal["on", "off"] = Field(
        default="off", description="its state when nobody drives it, which a resistor must give"
    )


class PinBuzzer(_Section):
    """`[pins.buzzer]`: a buzzer with its own oscillator. Silent at start, stop and crash."""

    line: Line = Field(description=_LINE)
    active: Level = Field(default="high", description="the level that sounds it")


class PinMarker(PinInput):
    """`[[pins.marker]]`: a sensor for one marker at one seat.

    A sensor that tells a magnet's poles apart has a line for each.
    """

    seat: Annotated[int, Strict(), Field(ge=1, le=SEAT_COUNT)] = Field(description="the seat, 1 to 10")
    marker: Marker = Field(default="button", description="button, buck or start")
    debounce_ms: Annotated[int, Field(ge=0, le=5000)] = Field(
        default=300, description="milliseconds that a marker must rest to stand there"
    )


class PinChannel(PinInput):
    """`[[pins.dropbox.channel]]`: the beam of one channel of the slot, for chips of one value."""

    cents: Annotated[int, Strict(), Field(ge=1, le=CENTS_MAX)] = Field(description="the value of its chips in cents")
    debounce_ms: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=5, description="milliseconds between two chips at least"
    )
    glitch_ms: Annotated[int, Field(ge=0, le=100)] = Field(
        default=1, description="milliseconds: what is shorter is no chip"
    )


class PinDropbox(_Section):
    """`[pins.dropbox]`: the sensors of the drop box. What has no sensor counts as in order."""

    present: PinInput | None = Field(default=None, description="the line that says the box is there")
    locked: PinInput | None = Field(default=None, description="the line that says it is locked")
    channels: Annotated[tuple[PinChannel, ...], Loose] = Field(default=(), alias="channel")


class PinGate(_Section):
    """`[pins.gate]`: the shoe's gate. Locked at start, stop and crash."""

    line: Line = Field(description=_LINE)
    active: Level = Field(default="high", description="the level that unlocks it")


class Pins(_Section):
    """`[pins]`: the devices on the computer's own pins."""

    factory: Factory = Field(default="lgpio", description="the library that drives them: lgpio, rpigpio or mock")
    chip: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="the chip's label, e.g. pinctrl-rp1 (labels stay, numbers change)"
    )
    stuck_seconds: Annotated[float, Field(gt=0, le=3600), Loose] = Field(
        default=15.0, description="seconds after which a key that is held, or a beam that is broken, is called stuck"
    )
    quiet_seconds: Annotated[float, Field(gt=0, le=3600), Loose] = Field(
        default=5.0, description="seconds of quiet after which a disabled input is used again"
    )
    chatter: Annotated[int, Field(ge=4, le=10_000)] = Field(
        default=60, description="edges in a second at which an input is called chattering"
    )
    key_switch: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="the name on record for decisions made by key, with no staff card"
    )
    matrix: PinMatrix | None = Field(default=None, description="a section [pins.matrix] with rows and columns")
    keys: Annotated[tuple[PinKey, ...], Loose, Field(max_length=KEYS_MAX)] = Field(default=(), alias="key")
    lamps: Annotated[tuple[PinLamp, ...], Loose] = Field(default=(), alias="lamp")
    buzzer: PinBuzzer | None = None
    markers: Annotated[tuple[PinMarker, ...], Loose] = Field(default=(), alias="marker")
    dropbox: PinDropbox | None = None
    gate: PinGate | None = None


def not_on_header(line: int) -> str:
    """Return a text on why the factory rpigpio cannot have this line, with the remedy."""
    return f"line {line} is not on the header: RPi.GPIO knows lines 0 to {HEADER_MAX}; choose factory lgpio"
