"""The wired client of whywaita/rfid-poker: an M5Stack with MFRC522 readers that tells each chip it sees, over USB.

Nothing is authenticated: whoever reaches the cable may tell any chip, and reads along. The client tells no chip that
goes away, no side that is up and no antenna, so neither does the adapter: docs/adapters.md says what is lost with it.

Its lines have no checksum. So no single line takes the reader down or begins it anew: another device, a message that
the client never sends and a number out of order must come again. A chip's number that three wrong bits or fewer make of
another card's in play is believed when it has been told twice.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, with_config

from devices.adapters.chip_numbers import PackFault
from devices.adapters.interface import Adapter, AdapterFault, Place, TableSide
from devices.adapters.lines import TextLine
from devices.adapters.rfid_poker_lines import (
    LONGEST,
    WRONG_BITS_MOST,
    Boot,
    ChipSeen,
    Message,
    NoiseError,
    Trouble,
    WrongMessageError,
    read_line,
)
from devices.drivers.base import SETTINGS
from devices.drivers.reader import ZoneNames
from devices.limits import ZONE_CARDS_MAX
from firmware_bridge.errors import FaultCode

NOISE_MAX: Final = 20
"""Lines in a row of which none was a message: more is no disturbance, but another device or rate."""
WRONG_MAX: Final = 3
"""Whole messages in a row that the client never sends: more than one wrong bit makes of its own."""
RESTARTS_MAX: Final = 5
"""Starts of the board before it has come up."""
STAYS: Final = 15.0
"""Seconds since a chip was told last in which it counts as lying there: the client tells it again each half second or
ten seconds, by its version."""
STRANGERS_MAX: Final = 32
_CHANGING: Final = b""
"""In the place of numbers that their chip makes anew each time."""
_LOOK: Final = 0.2  # seconds
_TELL_EVERY: Final = 1.0  # seconds, as any device's status


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class RfidPokerSettings:
    """What the client's messages do not say.

    `zones`: one for all its antennas, or one for each in the order in which the dealer lays cards. `face`: how cards
    lie there. `restart`: restart the board by RTS when its port is opened, so that it tells what lies there. `settle`:
    seconds after its start in which it tells that. `answer_within`: seconds for its first message. `again_after`:
    seconds of silence after which a chip that is told between rounds has come anew.
    """

    zones: ZoneNames
    face: Literal["down", "up"]
    restart: bool = True
    settle: Annotated[float, Field(ge=0.0, le=15.0)] = 3.0
    answer_within: Annotated[float, Field(ge=0.1, le=10.0)] = 10.0
    again_after: Annotated[float, Field(ge=0.0, le=60.0)] = 15.0


@dataclass(slots=True)
class _Lying:
    """A chip at the reader. `heard`: seconds of the clock when it was told last."""

    zone: str
    heard: float


@dataclass(slots=True)
class _Stranger:
    """A chip that is no card in play. `heard`: seconds of the clock when it was told last; `times`: since it came."""

    zone: str
    heard: float
    times: int = 1
    told: bool = False


@dataclass(slots=True)
class _Talk:
    """What is known of the device since its port was opened. Times by the clock.

    `until`: when it must have answered, or told what lies there. `seq`: the last number that is believed; `astray`:
    messages since, whose numbers did not fit; `doubt`: the last of them. `other`: another device that was named last.
    `once`: numbers that wait to be told again, with when they were told.
    """

    until: float
    device: str | None = None
    firmware: str = ""
    seq: int = 0
    gathers: bool = True
    starts: int = 0
    noise: int = 0
    in_a_row: int = 0
    dropped: int = 0
    lost: int = 0
    wrong: int = 0
    astray: int = 0
    doubt: Message | None = field(default=None, repr=False)
    other: str | None = None
    tells_at: float = 0.0
    once: dict[bytes, float] = field(default_factory=dict, repr=False)
    strangers: dict[bytes, _Stranger] = field(default_factory=dict, repr=False)
    present: dict[bytes, _Lying] = field(default_factory=dict, repr=False)


class RfidPoker(Adapter[RfidPokerSettings]):
    """The adapter `rfid-poker`."""

    role: ClassVar[str] = "reader"
    tells_leaving: ClassVar[bool] = False
    settings_type = RfidPokerSettings

    def __init__(self, place: Place, settings: RfidPokerSettings, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(place, settings)
        self._clock = clock
        self._zone_of: dict[bytes, str] = {}  # over a lost link: a chip keeps its zone until the round is over
        self._collecting = False

    def run(self, table: TableSide) -> None:
        with TextLine(self.place, longest=LONGEST) as line:
            if self.settings.restart:
                line.restart_board()
            talk = _Talk(until=self._clock() + self.settings.answer_within)
            while True:
                self._obey(talk, table)
                text = line.read(_LOOK)
                self._noise(talk, line.dropped - talk.dropped)
                talk.dropped = line.dropped
                if text is not None:
                    self._hear(talk, text, table)
                self._judge(talk, table)

    # -- orders

    def _obey(self, talk: _Talk, table: TableSide) -> None:
        """Forget the round's chips when the next one begins."""
        collect = table.orders().get("collect")
        if collect is None:
            return
        on = collect.get("on") is True
        if self._collecting and not on:
            talk.present.clear()
            self._zone_of.clear()
        self._collecting = on

    # -- lines

    def _noise(self, talk: _Talk, lines: int) -> None:
        talk.noise += lines
        talk.in_a_row += lines

    def _hear(self, talk: _Talk, text: str, table: TableSide) -> None:
        try:
            message = read_line(text)
        except NoiseError:
            self._noise(talk, 1)
            return
        except WrongMessageError as wrong:
            self._noise(talk, 1)
            talk.wrong += 1
            if talk.wrong < WRONG_MAX:
                return
            words = "load rfid-poker's wired client into it"
            raise self._fault(
                f"it sends what that client never sends ({wrong}): {words}", FaultCode.MALFORMED
            ) from None
        talk.in_a_row = talk.wrong = 0
        if message is None or self._is_of_another(talk, message):
            return
        self._number(talk, message, table)
        match message:
            case Boot():
                talk.firmware = message.firmware
            case ChipSeen():
                self._chip(talk, message.number, table)
            case Trouble():
                raise self._trouble(message)

    def _is_of_another(self, talk: _Talk, message: Message) -> bool:
        """Whether a message names another device: once it is noise, twice in a row another one speaks.

        While it starts the first name may be the wrong one.
        """
        if talk.other == message.device and talk.gathers:
            talk.device = None
        if talk.device is None or talk.device == message.device:
            talk.other = None
            return False
        if talk.other == message.device:
            raise self._fault("another device speaks in its place: plug in one only", FaultCode.UNKNOWN_DEVICE)
        talk.other = message.device
        self._noise(talk, 1)
        return True

    def _number(self, talk: _Talk, message: Message, table: TableSide) -> None:
        """Follow the device's numbers: it began anew, or messages are missing.

        A number that does not follow the last one is believed once the next message follows it.
        """
        first = talk.device is None
        talk.device = message.device
        if first or isinstance(message, Boot):
            self._begins(talk)
        elif message.seq == talk.seq + talk.astray + 1:
            pass  # those between had wrong numbers
        elif talk.doubt is not None and message.seq == talk.doubt.seq + 1:
            if talk.doubt.seq > talk.seq:
                talk.lost += max(0, talk.doubt.seq - talk.seq - talk.astray)
            else:
                seen = talk.doubt
                self._begins(talk)
                if isinstance(seen, ChipSeen):
                    self._chip(talk, seen.number, table)
        else:
            talk.doubt, talk.astray = message, talk.astray + 1
            return
        talk.seq, talk.astray, talk.doubt = message.seq, 0, None

    def _begins(self, talk: _Talk) -> None:
        """The board has started: it tells what lies there."""
        talk.starts = 1 if not talk.gathers else talk.starts + 1
        talk.gathers, talk.until = True, self._clock() + self.settings.settle
        talk.present.clear()
        talk.once.clear()  # what was held back is heard again: once
        talk.noise = talk.lost = 0  # what a board prints before it starts is no noise
        if talk.starts > RESTARTS_MAX:
            raise self._fault("it starts over and over: check its supply and its cable", FaultCode.MALFORMED)

    def _chip(self, talk: _Talk, number: bytes, table: TableSide) -> None:
        if not talk.gathers and self.place.chips.laid():  # for a pack: it takes no place of the table's
            self._came(self.settings.zones[0], number, table)
            return
        now, known = self._clock(), talk.present.get(number)
        if known is not None:
            away, known.heard = now - known.heard, now
            if talk.gathers or not self._collecting or away <= self.settings.again_after:
                return
            del talk.present[number]
        if (stranger := self.place.chips.stranger(number)) is not None:
            self._strange(talk, _CHANGING if stranger is PackFault.CHANGING else number, number, table)
        elif self._is_told_enough(talk, number):
            zone = self._lie_down(talk, number)
            if zone is not None and not talk.gathers:
                self._came(zone, number, table)

    def _lie_down(self, talk: _Talk, number: bytes) -> str | None:
        """Give a chip its place; None where there is none for it."""
        zone = self._free_zone(talk, number)
        if zone is not None:
            talk.present[number] = _Lying(zone, self._clock())
            self._zone_of[number] = zone
        return zone

    def _is_told_enough(self, talk: _Talk, number: bytes) -> bool:
        """Whether a card may be told: a number that few wrong bits make of another card's must come twice."""
        before = talk.once.pop(number, None)
        if before is not None and self._clock() - before <= STAYS:
            return True
        if not self.place.chips.has_near(number, WRONG_BITS_MOST):
            return True  # no pack is enrolled, or no other card is so near
        talk.once = {number: self._clock(), **dict(list(talk.once.items())[:STRANGERS_MAX])}
        return False

    def _strange(self, talk: _Talk, key: bytes, number: bytes, table: TableSide) -> None:
        """Note a chip that is no card in play. The table is told once while it lies there, and names what it is."""
        now, lies = self._clock(), talk.strangers.pop(key, None)
        if lies is None or now - lies.heard > STAYS:
            taken = {lying.zone for lying in talk.present.values()}
            zones = self.settings.zones
            lies = _Stranger(next((zone for zone in zones if zone not in taken), zones[-1]), now)
        else:
            lies.heard, lies.times = now, lies.times + 1
        talk.strangers = {key: lies, **dict(list(talk.strangers.items())[: STRANGERS_MAX - 1])}
        if not talk.gathers and not lies.told:
            lies.told = True
            self._came(lies.zone, number, table)

    def _came(self, zone: str, number: bytes, table: TableSide) -> None:
        table.event({"ev": "placed", "zone": zone, "card": number, "face": self.settings.face})

    def _free_zone(self, talk: _Talk, number: bytes) -> str | None:
        """The chip's zone; None where a card is swept over the antennas as the cards are collected."""
        zones = self.settings.zones
        taken = [lying.zone for lying in talk.present.values()]
        if len(zones) == 1 and len(taken) < ZONE_CARDS_MAX:
            return zones[0]
        free = [zone for zone in zones if zone not in taken] if len(zones) > 1 else []
        if not free and self._collecting:
            return None
        if not free:
            words = "take away what does not belong there, then press its reset button"
            raise self._fault(f"it tells more chips than it has places: {words}", FaultCode.MALFORMED)
        kept = self._zone_of.get(number)
        others = set(self._zone_of.values())
        return kept if kept in free else next((zone for zone in free if zone not in others), free[0])

    # -- what is said of it

    def _judge(self, talk: _Talk, table: TableSide) -> None:
        """Report the device up when it has told what lies there; give up where it tells nothing."""
        if talk.in_a_row > NOISE_MAX:
            words = "set the line to 115200 baud, check its cable, and load rfid-poker's wired client into it"
            raise self._fault(
                f"{talk.in_a_row} lines in a row are no messages of that client: {words}", FaultCode.MALFORMED
            )
        if talk.gathers and self._clock() >= talk.until:
            if talk.device is None:
                words = "check its plug and its supply, then press its reset button"
                raise self._fault(f"it has said nothing: {words}", FaultCode.NO_ANSWER)
            talk.gathers = False
            table.up(self._state(talk), serial=talk.device[:32], firmware=talk.firmware)
            talk.starts = 0
        if not talk.gathers and self._clock() >= talk.tells_at:
            talk.tells_at = self._clock() + _TELL_EVERY
            table.status(self._status(talk))

    def _status(self, talk: _Talk) -> dict[str, Any]:
        lie = {one.zone for one in talk.strangers.values() if one.times > 1 and self._clock() - one.heard <= STAYS}
        zones = {zone: [None, None, None, "stranger" if zone in lie else None] for zone in self.settings.zones}
        if not talk.noise and not talk.lost:
            return {"zones": zones}
        words = f"{talk.noise} lines were no messages, {talk.lost} messages are missing: check its cable"
        return {"zones": zones, "note": words}

    def _state(self, talk: _Talk) -> dict[str, Any]:
        zones: dict[str, list[list[str | bytes]]] = {zone: [] for zone in self.settings.zones}
        for number, lying in talk.present.items():
            zones[lying.zone].append([number, self.settings.face])
        return {"zones": zones, "collecting": self._collecting, "faces": False}

    def _trouble(self, trouble: Trouble) -> AdapterFault:
        zones = self.settings.zones
        if trouble.channel is None:
            words = "read it with a terminal program at 115200 baud, then press its reset button"
            return self._fault(f"the device tells an error of its own: {words}", FaultCode.NO_ANSWER)
        there = f" ({zones[trouble.channel]})" if trouble.channel < len(zones) > 1 else ""
        words = "check its plug and the multiplexer's, then press the reset button"
        return self._fault(
            f"the reader chip on channel {trouble.channel}{there} does not answer: {words}", FaultCode.NO_ANSWER
        )

    def _fault(self, words: str, code: FaultCode) -> AdapterFault:
        zones = self.settings.zones
        where = zones[0] if len(zones) == 1 else f"{zones[0]} to {zones[-1]}"
        return AdapterFault(f"{self.place.name} at {where}: {words}", code)
