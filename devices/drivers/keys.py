"""The dealer's keys and the supervisors' key switch: what a person reports by pressing.

At a table whose shoe or cut has no sensor, the dealer's keys report the shuffles, checks and cuts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, with_config

from devices.drivers.base import SETTINGS, Driver, Reading
from devices.drivers.fields import Fields
from devices.drivers.places import ALL_SEATS, DeckNames, SeatNumbers, person, serves_deck
from devices.drivers.shoe import cut, deck_checked, shuffled, stub_shuffled
from devices.drivers.trials import TrialKind
from devices.limits import CENTS_MAX, NAME, SECONDS_MAX, WORD
from table_fsm.events import (
    Action,
    BettingClosed,
    ButtonDraw,
    ClockCalled,
    ClockStart,
    ClockStop,
    CutOffered,
    DealStart,
    DeckChanged,
    Draw,
    Event,
    FloorCalled,
    HandEnd,
    HandShown,
    Penalty,
    Pot,
    RaceStart,
    RunTwice,
    SeatAway,
    SeatBack,
    SeatIn,
    SeatOut,
    Stack,
    Supervisor,
    TestMode,
    TournamentClock,
    TournamentGo,
    TournamentHandForHand,
    Wager,
)
from table_fsm.felt import CLOCK_CALLERS, SEAT_COUNT, WAGER_BOXES, Decision, PlayerAction

RULING_MAX = 2**53
HANDS_MAX = 1000
POTS_MAX = 20

StaffName = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
Part = Literal["deal", "seats", "keypad", "clock", "decisions", "cards", "tournament", "maintenance"]
ALL_PARTS: tuple[Part, ...] = ("deal", "seats", "keypad", "clock", "decisions", "cards", "tournament", "maintenance")


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class KeysSettings:
    """The keys of the device.

    `parts`: its groups of keys; it may send the events of these groups only. `seats`: the seats that it has keys for.
    `key_switch`: the name on record for a decision made by the key switch without a staff card; if not given, such a
    decision is refused. `decks`: the deck colours that it may name; if empty, any.
    """

    parts: tuple[Part, ...] = ALL_PARTS
    seats: SeatNumbers = ALL_SEATS
    key_switch: StaffName | None = None
    decks: DeckNames = ()


class KeysDriver(Driver[KeysSettings]):
    """The keys' driver. State: whether the maintenance switch is on."""

    role: ClassVar[str] = "keys"
    settings_type = KeysSettings
    names_no_card = True

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._testing = False

    def _events_read(self) -> Mapping[str, Reading]:
        groups: dict[Part, dict[str, Reading]] = {
            "deal": {
                "deal_start": lambda read, t: DealStart(t=t),
                "betting_closed": lambda read, t: BettingClosed(t=t),
                "hand_shown": lambda read, t: HandShown(t=t, seat=self._seat(read)),
                "hand_end": lambda read, t: HandEnd(t=t),
                "pot": self._pot,
                "button_draw": lambda read, t: ButtonDraw(t=t),
                "run_twice": lambda read, t: RunTwice(t=t),
                "floor_called": lambda read, t: FloorCalled(
                    t=t, by=person(read, "by", self.settings.seats, ("dealer",))
                ),
            },
            "seats": {
                "seat_in": lambda read, t: SeatIn(t=t, seat=self._seat(read)),
                "seat_out": lambda read, t: SeatOut(t=t, seat=self._seat(read)),
                "seat_away": lambda read, t: SeatAway(t=t, seat=self._seat(read)),
                "seat_back": lambda read, t: SeatBack(t=t, seat=self._seat(read)),
                "stack": lambda read, t: Stack(t=t, seat=self._seat(read), cents=read.integer("cents", 0, CENTS_MAX)),
            },
            "keypad": {"action": self._action, "wager": self._wager, "draw": self._draw},
            "clock": {
                "clock_called": self._clock_called,
                "clock_start": lambda read, t: ClockStart(t=t, seat=self._seat(read)),
                "clock_stop": lambda read, t: ClockStop(t=t, seat=self._seat(read)),
            },
            "decisions": {"decision": self._decision, "penalty": self._penalty},
            "cards": {
                "shuffled": lambda read, t: shuffled(read, t, self._deck(read)),
                "stub_shuffled": stub_shuffled,
                "deck_checked": lambda read, t: deck_checked(read, t, self._deck(read)),
                "deck_changed": lambda read, t: DeckChanged(t=t, deck=self._deck(read)),
                "cut": cut,
                "cut_offered": lambda read, t: CutOffered(t=t, to=f"seat:{self._seat(read)}"),
            },
            "tournament": {
                "tournament_clock": self._tournament_clock,
                "hand_for_hand": lambda read, t: TournamentHandForHand(t=t, on=read.yes_no("on")),
                "tournament_go": lambda read, t: TournamentGo(t=t),
                "race_start": self._race_start,
            },
            "maintenance": {"test_mode": lambda read, t: TestMode(t=t, on=read.yes_no("on"))},
        }
        return {name: reading for part in self.settings.parts for name, reading in groups[part].items()}

    @property
    def trials(self) -> tuple[TrialKind, ...]:
        return (TrialKind.LISTEN,)

    @property
    def watches(self) -> tuple[str, ...]:
        return self.settings.parts

    def _seat(self, read: Fields) -> int:
        return read.seat("seat", self.settings.seats)

    def _deck(self, read: Fields) -> str | None:
        return serves_deck(read, self.settings.decks)

    def _pot(self, read: Fields, t: float) -> Event:
        pot = read.optional("pot", lambda key: read.integer(key, 1, POTS_MAX))
        return Pot(t=t, cents=read.integer("cents", 0, CENTS_MAX), pot=1 if pot is None else pot)

    def _action(self, read: Fields, t: float) -> Event:
        cents = read.optional("cents", lambda key: read.integer(key, 0, CENTS_MAX))
        return Action(t=t, seat=self._seat(read), action=read.choice("action", tuple(PlayerAction)), cents=cents)

    def _wager(self, read: Fields, t: float) -> Event:
        box = read.choice("box", WAGER_BOXES)
        marker = read.optional("marker", read.yes_no)
        cents = read.integer("cents", 0, CENTS_MAX)
        return Wager(t=t, seat=self._seat(read), box=box, cents=cents, marker=marker)

    def _draw(self, read: Fields, t: float) -> Event:
        return Draw(t=t, seat=self._seat(read), count=read.integer("count", 0, 7))

    def _clock_called(self, read: Fields, t: float) -> Event:
        return ClockCalled(t=t, seat=self._seat(read), by=person(read, "by", self.settings.seats, CLOCK_CALLERS))

    def _decision(self, read: Fields, t: float) -> Event:
        read.optional("pin", read.pin)
        return Supervisor(
            t=t,
            decision=read.choice("decision", tuple(Decision)),
            staff=self._staff(read),
            ruling=read.optional("ruling", lambda key: read.integer(key, 0, RULING_MAX)),
            outcome=read.optional("outcome", lambda key: _word(read, key)),
            reason=read.optional("reason", read.reason),
            seat=read.optional("seat", lambda key: read.seat(key, self.settings.seats)),
        )

    def _staff(self, read: Fields) -> str:
        staff = read.optional("staff", read.name)
        if staff is not None:
            return staff
        if self.settings.key_switch is None:
            raise read.fault(
                "staff",
                "nobody's staff card stands behind this decision",
                "hold a staff card, or name key_switch in the settings",
            )
        return self.settings.key_switch

    def _penalty(self, read: Fields, t: float) -> Event:
        hands = read.optional("hands", lambda key: read.integer(key, 1, HANDS_MAX))
        orbits = read.optional("orbits", lambda key: read.integer(key, 1, HANDS_MAX))
        if (hands is None) == (orbits is None):
            raise read.fault("hands", "a penalty is of hands or of orbits: just one of the two")
        return Penalty(t=t, seat=self._seat(read), hands=hands, orbits=orbits)

    def _tournament_clock(self, read: Fields, t: float) -> Event:
        return TournamentClock(t=t, running=read.yes_no("running"), elapsed=read.seconds("elapsed", SECONDS_MAX))

    def _race_start(self, read: Fields, t: float) -> Event:
        odd = Fields(self.name, "race_start", read.map_at("odd"))
        counted = {
            seat: odd.optional(str(seat), lambda key: odd.integer(key, 0, HANDS_MAX)) for seat in self.settings.seats
        }
        odd.done()
        return RaceStart(
            t=t,
            chip=read.integer("chip", 1, CENTS_MAX),
            new_chip=read.integer("new_chip", 1, CENTS_MAX),
            odd={str(seat): chips for seat, chips in counted.items() if chips is not None},
            last=self._last_seats(read),
        )

    def _last_seats(self, read: Fields) -> list[int]:
        entries = read.optional("last", lambda key: read.array(key, SEAT_COUNT)) or []
        return [Fields(self.name, "race_start", {"last": entry}).seat("last", self.settings.seats) for entry in entries]

    def _compare(self, read: Fields, t: float) -> list[Event]:
        testing = read.yes_no("testing")
        if "maintenance" not in self.settings.parts:
            return []  # no such switch: test mode begins and ends elsewhere
        return [] if testing == self._testing else [TestMode(t=t, on=testing)]

    def observe(self, event: Event) -> None:
        if isinstance(event, TestMode):
            self._testing = event.on


def _word(read: Fields, key: str) -> str:
    name = read.name(key)
    if WORD.fullmatch(name) is None:
        raise read.fault(key, "an outcome is written in small letters and _")
    return name
