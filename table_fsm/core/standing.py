"""State that outlives a round: plain data that goes into a snapshot."""

from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from pydantic import PlainSerializer, PlainValidator

from table_fsm.core.house_state import LaidAhead
from table_fsm.core.tournament_state import EntryRecord, PenaltyRecord, TournamentRecord
from table_fsm.poker.cards.unseen_cards import UnseenCards
from table_fsm.prompts.reading import prompt_from_dict
from table_fsm.prompts.types import Prompt

StoredPrompt: TypeAlias = Annotated[
    Prompt | None,
    PlainValidator(lambda data: None if data is None else prompt_from_dict(data)),
    PlainSerializer(lambda prompt: None if prompt is None else prompt.to_json()),
]
"""A prompt that a snapshot keeps as its JSON object."""


@dataclass(slots=True)
class SeatRecord:
    """A seat with a player. Times are table seconds."""

    newcomer: bool = False
    """Joined a running game and has not been dealt in."""
    comes_in: bool = False
    """Has joined or come back since the last round they were dealt in, where the book lets such a player post."""
    waits: bool = False
    """Sat down between button and small blind where the book makes such a player wait; not dealt in."""
    leaving: bool = False
    away_since: float | None = None
    away_told: bool = False
    missed_blind: bool = False
    """The player missed a blind while away. The book makes them wait for the next big blind or post."""
    told_minimum: bool = False
    """Has been told that further wagers below the minimum are returned."""
    idle_rounds: int = 0
    idle_told: bool = False
    stack: int | None = None
    """The stack as last counted, in cents."""
    counted_after: int = 0
    """Number of rounds begun when the stack was counted."""
    counted_in_round: bool = False
    penalty: PenaltyRecord | None = None
    came: bool = False
    """Was present at the end of a round, or has come back."""
    entry: EntryRecord | None = None
    """In a tournament of several tables: the player's entry."""


@dataclass(slots=True)
class DeckRecord:
    """One pack, recorded by its colour.

    `replaced_at`: table second since which replacement cards await their check.
    """

    checked: bool = False
    fouled: bool = False
    shuffled: bool = False
    replaced_at: float | None = None
    check_at: float | None = None
    counted: int | None = None
    """Number of cards in the last full check."""
    wrong: str | None = None
    """The irregularity, other than the count, that the last full check found."""
    seen: UnseenCards | None = None
    """Cards of the pack that readers saw since it was last found complete. It names cards of rounds that are over."""
    doubted: list[str] = field(default_factory=list)
    """Irregularities ruled on from cards seen over several rounds, since the pack was last found complete."""


@dataclass(slots=True)
class FaultRecord:
    """A latched fault of the shoe.

    It ends when the shoe has reported it cleared and a person has acknowledged it.
    """

    kind: str
    deck: str | None
    present: bool = True
    acknowledged: bool = False


@dataclass(slots=True)
class PendingRuling:
    """A ruling that waits for a person."""

    id: int
    irregularity: str
    outcome: str
    rule: str
    text: str
    seat: int | None
    deck: str | None
    round_number: int
    beyond_round: bool = False
    """The ruling does not end with its round: a person must decide."""


@dataclass(slots=True)
class GivenRuling:
    """A ruling of this round, which a supervisor may still overrule."""

    outcome: str
    also: tuple[str, ...]
    seat: int | None


@dataclass(slots=True)
class AlarmRecord:
    """An alarm that lasts until a person acknowledges it.

    `ruling`: the pending ruling that it belongs to.
    """

    kind: str
    since: float
    deck: str | None = None
    device: str | None = None
    seat: int | None = None
    ruling: int | None = None
    acknowledged: bool = False
    escalated: bool = False
    sounded: float | None = None
    """Table second of the last repetition; None before the first."""
    over: bool = False
    """The cause is gone; the acknowledgement ends the alarm."""

    def is_about_as(self, other: "AlarmRecord") -> bool:
        """Whether both alarms are of one kind and about the same thing."""
        mine = (self.kind, self.deck, self.device, self.seat, self.ruling)
        return mine == (other.kind, other.deck, other.device, other.seat, other.ruling)

    @property
    def last_heard(self) -> float:
        """Table second at which the alarm was raised or last repeated."""
        return self.since if self.sounded is None else self.sounded


@dataclass(slots=True)
class Shelf:
    """Alarms that are not told until a table second, by a person's decision.

    `device` and `seat`: the alarms' own; None for all alarms of the kind.
    """

    kind: str
    device: str | None
    seat: int | None
    until: float
    staff: str

    def holds(self, alarm: AlarmRecord) -> bool:
        """Whether the alarm lies on this shelf."""
        return self.kind == alarm.kind and self.device in {None, alarm.device} and self.seat in {None, alarm.seat}


@dataclass(slots=True)
class BoxLedger:
    """Commission from one deal's start to the next. Amounts in cents."""

    due: dict[int, int] = field(default_factory=dict)
    """Commission due, by pot."""
    flop_seen: bool = False
    """Whether the round had a flop."""
    taken: int = 0
    """Commission put through the slot or laid in the float's commission area."""
    to_drop: int = 0
    """Commission colour-changed and not yet put through the slot."""
    dropped_change: int = 0
    ruled: bool = False
    ruled_at: int = 0
    """Commission taken when a mismatch was last found."""
    laid_aside: int = 0
    """Commission in the float's area, of this round and earlier ones, that has not been changed up."""
    no_result: bool = False
    """The round was ended as a misdeal or void, so that no commission is due."""


@dataclass(slots=True)
class ButtonSpots:
    """Seats of the button, small blind and big blind in one hand.

    The seat of the button or the small blind may be empty.
    """

    button: int
    small: int
    big: int


@dataclass(slots=True)
class Standing:
    """Everything that outlives a round."""

    open: bool = False
    rulebook: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, SeatRecord] = field(default_factory=dict)
    highest_seat: int = 0
    rest: str = "closed"
    """The phase between rounds: closed, checking_cards, waiting, complete, misdeal, void."""
    collecting: bool = False
    """After a misdeal or void round: what comes until the next shuffle is collection."""
    button: int | None = None
    """The seat where the button should be."""
    button_seen: int | None = None
    """The seat where a marker was last reported."""
    start_marker: int | None = None
    last_big_blind: int | None = None
    """The seat of the last blind in the round before; None where there was none."""
    small_blind_due: int | None = None
    no_small_blind: bool = False
    spots: ButtonSpots | None = None
    """With a dead button: the seats of button and blinds in the last hand that counted."""
    button_skips: bool = False
    """After the coming hand the button moves by two places."""
    button_told: tuple[int, bool] | None = None
    """The seat last given to the dealer for the button, and whether the button is dead there."""
    decks: dict[str, DeckRecord] = field(default_factory=dict)
    last_shuffled: str | None = None
    shuffled_beside: str | None = None
    """The pack shuffled while the other one was in play; it is for the next round."""
    last_deck: str | None = None
    """The deck of the last round that counted."""
    faults: list[FaultRecord] = field(default_factory=list)
    pending: list[PendingRuling] = field(default_factory=list)
    alarms: list[AlarmRecord] = field(default_factory=list)
    shelves: list[Shelf] = field(default_factory=list)
    offline: dict[str, str] = field(default_factory=dict)
    zone_troubles: dict[str, dict[str, str]] = field(default_factory=dict)
    """Why zones are not read whole, by device and zone."""
    test_mode: bool = False
    box_present: bool = True
    box_locked: bool = True
    ledger: BoxLedger = field(default_factory=BoxLedger)
    badges: dict[str, float] = field(default_factory=dict)
    """Table second of each role's last badge."""
    next_ruling: int = 1
    round_number: int = 0
    """Rounds that have begun."""
    played: int = 0
    """Rounds that counted."""
    commenced: bool = False
    """A card has been dealt since the table opened."""
    shoe_gives_cards: bool = False
    """A shoe has reported cards, so later cards must come from it."""
    time_banks: dict[int, int] = field(default_factory=dict)
    """Time banks left, by seat, of players who have used any."""
    last_t: float = 0.0
    someone_away: bool = False
    attention: bool = False
    """A ruling was given and neither the end of the round nor a person has settled it."""
    carried_posts: dict[int, int | None] = field(default_factory=dict)
    """Blinds carried over from a misdeal."""
    carried_entries: list[int] = field(default_factory=list)
    """Seats whose players came in by such a post: they owed no blind."""
    carried_antes: dict[int, int | None] = field(default_factory=dict)
    """Antes carried over from a misdeal."""
    carried_all_in: dict[int, int | None] = field(default_factory=dict)
    """What was put in with them by players who had no more, carried over from a misdeal."""
    carried_chips: dict[int, dict[str, int]] = field(default_factory=dict)
    """Chips of the round before that lie in betting boxes, in cents by seat and box, as it ended."""
    chips_stay_at: list[int] = field(default_factory=list)
    """Seats at which they are their player's still: no round has been settled in which they were wagers."""
    carried_wagers: dict[int, dict[str, LaidAhead]] = field(default_factory=dict)
    """Wagers that were laid for the next round during the one before, by seat and box."""
    carried_rulings: dict[int, GivenRuling] = field(default_factory=dict)
    """Rulings by id that the event gave which left the table between two rounds: a person may still overrule them."""
    carried_order_told: bool = False
    """That event also said that the cards came in an order that no shuffle leaves."""
    entrants: int = 0
    """Number of players at the start of a freeze-out; 0 before, and in any other game."""
    tournament: TournamentRecord = field(default_factory=TournamentRecord)
    shown_phase: str = ""
    shown_prompt: StoredPrompt = None
    shown_lock: bool | None = None
    shown_lamps: dict[str, bool] = field(default_factory=dict)

    @property
    def is_ruled(self) -> bool:
        """Whether a ruling is on the display: neither the end of the round nor a person has settled it."""
        return self.attention or bool(self.pending)

    def shelf_of(self, alarm: AlarmRecord) -> Shelf | None:
        """The shelf that the alarm lies on; None where it is told."""
        return next((shelf for shelf in self.shelves if shelf.holds(alarm)), None)

    def is_due(self, alarm: AlarmRecord) -> bool:
        """Whether a person must acknowledge the alarm: nobody has, and it is not shelved."""
        return not alarm.acknowledged and (not self.shelves or self.shelf_of(alarm) is None)
