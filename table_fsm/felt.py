"""The closed sets that events and states name: seats, zones, cards, phases, people.

Each set is written here once, and imports nothing of ours, so that every package may name these things without knowing
the rules. A set whose members have words for people is an enum of `Worded`; one that needs none is a `Literal`, with
the tuple of its values beside it.

A card is written as rank + suit, `As`, `Td`; the joker is `Jo`. Ranks and suits are ordered as the trade writes them:
ranks from the lowest up, suits spades, hearts, diamonds, clubs (highest suit first).
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Final, Literal, Self, TypeAlias, get_args


class Worded(StrEnum):
    """A closed set whose members each have words for people, in `words`."""

    words: str

    def __new__(cls, value: str, words: str = "", *_: object) -> Self:
        """Make a member of its value, as events and books write it, and its words.

        `words` may be left out in `FaultKind("jam")` alone, which looks a member up and does not come here.

        Raises TypeError for a member without words.
        """
        if not words:
            raise TypeError(f"{cls.__name__}: {value} has no words")
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        return member

    @property
    def message_id(self) -> str:
        """The id of the member's words, by which other languages have theirs: `Outcome.misdeal`."""
        return f"{type(self).__name__}.{self._value_}"


# ---- seats and zones ----

SEAT_COUNT: Final = 10
SEATS: Final = tuple(range(1, SEAT_COUNT + 1))
BOARD: Final = tuple(f"board:{n}" for n in range(1, 6))
BOARD2: Final = tuple(f"board2:{n}" for n in range(1, 6))
RACES: Final = tuple(f"race:{n}" for n in SEATS)
SEAT_ZONE: Final = MappingProxyType({n: f"seat:{n}" for n in SEATS})
SEAT_OF: Final = MappingProxyType({f"seat:{n}": n for n in SEATS})
"""Seat number by zone name."""
BOARD_ZONES: Final = frozenset(BOARD + BOARD2)
ZONES: Final = frozenset((*SEAT_OF, *BOARD, *BOARD2, *RACES, "dealer", "burn", "muck", "shoe"))
"""Every zone there is."""


def clockwise(seats: list[int], after: int) -> list[int]:
    """Return `seats` in dealing order: clockwise from the one after `after`.

    `after` itself, if it is among them, comes last.
    """
    ordered = sorted(seats)
    return [s for s in ordered if s > after] + [s for s in ordered if s <= after]


# ---- cards ----

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
JOKER: Final = "Jo"
DECK_SIZES: Final = (52, 48, 44, 40, 36, 32)

_FULL_SIZE: Final = 52
CARDS: Final = frozenset(rank + suit for rank in RANKS for suit in SUITS) | {JOKER}
"""The names of all cards of the largest deck."""
CARDS_SAID: Final = f"rank {RANKS} and suit {SUITS}, or {JOKER}"
"""What a card's name is made of, for the texts of errors."""


@cache
def full_deck(size: int = _FULL_SIZE, joker: bool = False) -> frozenset[str]:
    """Return all cards of a deck of `size` ranked cards, and the joker if `joker` is set.

    A reduced deck loses whole ranks, all four suits, from the 2 up: 48 is 3 to ace, 32 is 7 to ace. (TAS 2018 B 3.2 for
    the 32; the option `deck` names the sizes.)

    Raises ValueError for a size that is not one of `DECK_SIZES`.
    """
    if size not in DECK_SIZES:
        raise ValueError(f"deck of {size} cards: choose one of {', '.join(map(str, DECK_SIZES))}")
    ranks = RANKS[(_FULL_SIZE - size) // len(SUITS) :]
    deck = frozenset(rank + suit for rank in ranks for suit in SUITS)
    return deck | {JOKER} if joker else deck


def is_card_name(text: str) -> bool:
    """Return whether `text` names a card: one of the 52, or the joker."""
    return text in CARDS


Face: TypeAlias = Literal["down", "up"]
"""How a card lies."""
FACES: Final[tuple[Face, ...]] = get_args(Face)
Exposer: TypeAlias = Literal["dealer", "player", "shoe"]
"""The person or device that showed a face-down card."""
EXPOSERS: Final[tuple[Exposer, ...]] = get_args(Exposer)
Carrier: TypeAlias = Literal["dealer", "player"]
"""The person who carried a card off the table."""
CARRIERS: Final[tuple[Carrier, ...]] = get_args(Carrier)
Marker: TypeAlias = Literal["button", "buck", "start"]
MARKERS: Final[tuple[Marker, ...]] = get_args(Marker)


# ---- the shoe ----


class FaultKind(Worded):
    """A fault that a shoe may report."""

    JAM = "jam", "jam"
    MISFEED = "misfeed", "misfeed"
    DOUBLE_FEED = "double_feed", "double feed"
    POWER = "power", "power"
    MOTOR = "motor", "motor"
    SENSOR = "sensor", "sensor"
    CARDS_DAMAGED = "cards_damaged", "damaged cards"
    SHUFFLE_FAILED = "shuffle_failed", "shuffle failed"
    LID_OPEN = "lid_open", "lid open"
    COMMS = "comms", "no answer from the shoe"


# ---- the round ----

Phase: TypeAlias = Literal[
    "closed", "checking_cards", "waiting", "cutting", "dealing", "betting", "board", "draw", "showdown", "settling",
    "complete", "halted", "misdeal", "void",
]  # fmt: skip
"""The phase of a table. A `Literal`, because phases are compared several times an event: mypy checks each
comparison."""

PHASE_WORDS: Final[Mapping[Phase, str]] = MappingProxyType(
    {
        "closed": "Table closed",
        "checking_cards": "Checking the cards",
        "waiting": "Waiting for the round",
        "cutting": "Cutting",
        "dealing": "Dealing",
        "betting": "Betting",
        "board": "Dealing the board",
        "draw": "Draw",
        "showdown": "Showdown",
        "settling": "Settling",
        "complete": "Round complete",
        "halted": "Halted",
        "misdeal": "Misdeal",
        "void": "Round void",
    }
)
BETWEEN_ROUNDS: Final[tuple[Phase, ...]] = ("checking_cards", "waiting", "cutting", "complete", "misdeal", "void")
"""Phases of an open table in which no round is in progress."""
IN_PLAY: Final[frozenset[Phase]] = frozenset({"dealing", "betting", "board", "draw", "showdown"})
"""Phases in which the cards of a round are in play."""
ROUND_RESULTS: Final[frozenset[Phase]] = frozenset({"complete", "misdeal", "void"})
"""Phases that a round may end in."""


class PlayerAction(Worded):
    """An action of a player; the words follow the player's seat."""

    POST = "post", "posts"
    ANTE = "ante", "antes"
    CHECK = "check", "checks"
    CALL = "call", "calls"
    BET = "bet", "bets"
    RAISE = "raise", "raises"
    FOLD = "fold", "folds"
    ALL_IN = "all_in", "goes all in"
    TIME_BANK = "time_bank", "uses a time bank"


WagerBox: TypeAlias = Literal["ante", "blind", "trips", "play"]
"""A box for wagers, in games that the house banks."""
WAGER_BOXES: Final[tuple[WagerBox, ...]] = get_args(WagerBox)

# ---- people ----


class StaffRole(Worded):
    """The role on a staff card."""

    SUPERVISOR = "supervisor", "supervisor"
    INSPECTOR = "inspector", "inspector"
    DIRECTOR = "director", "director"
    SURVEILLANCE = "surveillance", "surveillance"
    DEALER = "dealer", "dealer"


DECIDING_ROLES: Final = frozenset({StaffRole.SUPERVISOR, StaffRole.DIRECTOR})
"""Staff who may decide on a ruling."""
CLOCK_CALLERS: Final = (StaffRole.DEALER, StaffRole.SUPERVISOR, StaffRole.DIRECTOR)
"""Staff who may call a clock on a player."""


class AmountUnit(StrEnum):
    """The unit in which a table counts its amounts. An amount is a whole number of them."""

    POINTS = "points"
    """Chips without a value in money: a chip of 500 is 500."""
    CENTS = "cents"
    """Hundredths of a currency: a chip of 5 dollars is 500."""


class Built(Worded):
    """With what a table is built: a shoe and readers everywhere, or less. The words say what it cannot see."""

    FULL = "full", "A shoe, and readers at every place"
    NO_SHOE = "no_shoe", "No shoe: nothing counts the cards that are dealt, and nothing holds them back"
    NO_SEAT_READERS = (
        "no_seat_readers",
        "No readers at the seats: to whom the cards went, who looked at them, and who wins is not seen",
    )
    BOARD_ONLY = (
        "board_only",
        "A reader under the board alone: the deal, the hands, the burns, the discards and who wins are not seen",
    )


class Blind(Worded):
    """What the readers of a table cannot tell of the cards that they see."""

    FACES = (
        "faces",
        "The readers know no side of a card: a hand lies open once the dealer has keyed it, and a card that was "
        "flashed, dealt face up or turned too soon is not seen",
    )


class Need(StrEnum):
    """What a decision must come with."""

    RULING = "ruling"
    OUTCOME = "outcome"
    SEAT = "seat"
    REASON = "reason"
    """For the record; asked of people at the page."""
    ALARM = "alarm"
    """The kind of the alarms that it is about."""
    MINUTES = "minutes"


class Upon(StrEnum):
    """What a decision is made on."""

    WAITING = "waiting"
    """A ruling that waits for a person."""
    GIVEN = "given"
    """A ruling whose outcome may still be taken back."""
    TABLE = "table"
    """The table as it is, without a ruling."""
    SEAT = "seat"
    """A player, without a ruling."""


class Decision(Worded):
    """What a supervisor may decide, and the words on its button."""

    def __init__(self, value: str, words: str = "", upon: tuple[Upon, ...] = (), *needs: Need) -> None:
        """Set the things that the decision is offered on, and those it must come with."""
        self.upon = upon
        self.needs = needs

    ACKNOWLEDGE = "acknowledge", "Acknowledge"
    CONFIRM = "confirm", "Confirm", (Upon.WAITING,)
    OVERRULE = "overrule", "Overrule", (Upon.GIVEN,), Need.RULING, Need.OUTCOME, Need.REASON
    MISDEAL = "misdeal", "Declare a misdeal", (Upon.TABLE,), Need.REASON
    VOID = "void", "Void the round", (Upon.TABLE,), Need.REASON
    EXCLUDE = "exclude", "Exclude from the round", (Upon.SEAT,), Need.SEAT, Need.REASON
    PLAY_ON = "play_on", "Play on", (Upon.WAITING, Upon.TABLE)
    RESUME = "resume", "Resume after a fault", (Upon.TABLE,)
    CHECK_DECK = "check_deck", "Have the deck checked", (Upon.TABLE,)
    SHELVE = "shelve", "Shelve", (), Need.ALARM, Need.MINUTES, Need.REASON
    """For so long an alarm is not told (ISA-18.2)."""
    UNSHELVE = "unshelve", "End shelving", (), Need.ALARM


LETS_GO_ON: Final = frozenset({Decision.CONFIRM, Decision.PLAY_ON, Decision.RESUME})
"""Decisions that end the wait of the ruling that they name, and do nothing else to it."""
LEAVES_WAITING: Final = frozenset({Decision.ACKNOWLEDGE, Decision.CHECK_DECK, Decision.SHELVE, Decision.UNSHELVE})
"""Decisions after which a ruling stays pending."""

# ---- alarms ----


class AlarmKind(Worded):
    """The kind of an alarm of neither a ruling nor the shoe.

    A ruling's alarm has its irregularity as kind, a shoe's alarm its fault.
    """

    DEVICE_OFFLINE = "device_offline", "Device offline"
    CONTROLLER_FAULT = "controller_fault", "Fault of the controller"
    FLOOR_CALLED = "floor_called", "Floor called"
    CLOCK_ASKED = "clock_asked", "A clock is asked for"
    SEAT_LEFT = "seat_left", "Seat left"
    SEAT_IDLE = "seat_idle", "Seat idle"
    RUN_TWICE_UNFINISHED = "run_twice_unfinished", "The second board was not finished"
    ENTRANT_ABSENT = "entrant_absent", "Entrant absent"
    """The entrant had not taken their seat at the end of a level (The Star 7.12)."""
    FREEZE_OUT_LEFT = "freeze_out_left", "A player of the freeze-out left"
    """The player left with chips: a management representative has to have reasons (TAS 2018, 16.4)."""
    FREEZE_OUT_BANK_CHANGED = "freeze_out_bank_changed", "A bank of the freeze-out has changed"
    """Chips were added to a player's bank, or taken from it (16.2)."""
    RACE_UNDECIDED = "race_undecided", "A chip race is undecided"
    """A person must say who wins."""
    ZONE_ANTENNA = "zone_antenna", "Antenna without its reference card"
    ZONE_CHIP = "zone_chip", "Reader chip silent"
    ZONE_MULTIPLEXER = "zone_multiplexer", "Multiplexer silent"
    ZONE_TANGLED = "zone_tangled", "Cards cannot be told apart"
    ZONE_STRANGER = "zone_stranger", "Phone or bank card on a reader"
    ZONE_WEAK = "zone_weak", "Card with too little power"


ZONE_TROUBLES: Final[Mapping[str, AlarmKind]] = MappingProxyType(
    {
        "antenna": AlarmKind.ZONE_ANTENNA,
        "chip": AlarmKind.ZONE_CHIP,
        "multiplexer": AlarmKind.ZONE_MULTIPLEXER,
        "tangled": AlarmKind.ZONE_TANGLED,
        "stranger": AlarmKind.ZONE_STRANGER,
        "weak": AlarmKind.ZONE_WEAK,
    }
)
"""Why a reader does not read a zone whole, as `zone.state` names it, and its alarm."""


SHELVABLE: Final = frozenset(AlarmKind) - {AlarmKind.DEVICE_OFFLINE, AlarmKind.CONTROLLER_FAULT}
"""Alarms that a person may shelve. Of all others, those of the shoe and of rulings among them, play is stopped, cannot
be trusted, or waits for a decision."""
SHELVED_MINUTES_MOST: Final = 480
"""For so long an alarm may be shelved at once: a shift."""
