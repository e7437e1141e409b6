"""What a table remembers from round to round: plain data that goes into a snapshot."""

from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from pydantic import PlainSerializer, PlainValidator

from table_fsm.core.tournament_state import PenaltyRecord, TournamentRecord
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
    """Joined a running game and has not been dealt in yet."""
    waits: bool = False
    """Sat down between the button and the small blind, where the book makes such a player wait: not in the deal."""
    leaving: bool = False
    away_since: float | None = None
    away_told: bool = False
    missed_blind: bool = False
    """A blind went by while the player was away, in a book that has them wait for the next one or post it."""
    idle_rounds: int = 0
    idle_told: bool = False
    stack: int | None = None
    """As last counted, in cents."""
    counted_after: int = 0
    """How many rounds had begun when it was."""
    counted_in_round: bool = False
    penalty: PenaltyRecord | None = None
    came: bool = False
    """Has been at the table when a round ended, or come back to it."""


@dataclass(slots=True)
class DeckRecord:
    """One pack, by its colour. `replaced_at`: replacement cards wait for their check since then."""

    checked: bool = False
    fouled: bool = False
    shuffled: bool = False
    replaced_at: float | None = None
    check_at: float | None = None
    counted: int | None = None
    """By the last full check."""
    wrong: str | None = None
    """The irregularity that the last full check found, beside its count."""
    seen: UnseenCards | None = None
    """What readers saw of it since it was last found whole. Names cards, of rounds that are over."""
    doubted: list[str] = field(default_factory=list)
    """Irregularities ruled on by what was seen over the rounds, since it was last found whole."""


@dataclass(slots=True)
class FaultRecord:
    """A fault of the shoe, latched: it ends when the shoe says cleared and a person has acknowledged it."""

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
    """It is not over with the round it was found in: a person must have decided."""


@dataclass(slots=True)
class AlarmRecord:
    """An alarm: it stands until a person has seen it. `ruling`: the pending ruling it belongs to."""

    kind: str
    since: float
    deck: str | None = None
    device: str | None = None
    seat: int | None = None
    ruling: int | None = None
    acknowledged: bool = False
    escalated: bool = False
    sounded: float | None = None
    """When it sounded again last."""
    over: bool = False
    """The cause is gone; the alarm ends with the acknowledgement."""

    def is_about_as(self, other: "AlarmRecord") -> bool:
        """Whether both are of one kind and about the same."""
        mine = (self.kind, self.deck, self.device, self.seat, self.ruling)
        return mine == (other.kind, other.deck, other.device, other.seat, other.ruling)

    @property
    def last_heard(self) -> float:
        """When it was raised, or sounded again last. Table seconds."""
        return self.since if self.sounded is None else self.sounded


@dataclass(slots=True)
class BoxLedger:
    """Commission from one deal's start to the next. Amounts in cents."""

    due: dict[int, int] = field(default_factory=dict)
    """By pot."""
    flop_seen: bool = False
    """The round had a flop."""
    taken: int = 0
    """Through the slot, or laid in the float's commission area."""
    to_drop: int = 0
    """Colour-changed and not yet through the slot."""
    dropped_change: int = 0
    ruled: bool = False


@dataclass(slots=True)
class ButtonSpots:
    """Seats of one hand: the button's, the small blind's and the big blind's. Of the first two, one may be empty."""

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
    """Where the button should be."""
    button_seen: int | None = None
    """Where a marker was last reported."""
    start_marker: int | None = None
    small_blind_due: int | None = None
    no_small_blind: bool = False
    spots: ButtonSpots | None = None
    """With a dead button: where button and blinds were in the last hand that counted."""
    button_skips: bool = False
    """After the coming hand the button goes on by two places."""
    button_told: tuple[int, bool] | None = None
    """Where the button was last said to go, and whether it is dead there."""
    decks: dict[str, DeckRecord] = field(default_factory=dict)
    last_shuffled: str | None = None
    shuffled_beside: str | None = None
    """The pack that was shuffled while the other one was in play: the next round's."""
    last_deck: str | None = None
    """The deck of the last round that counted."""
    faults: list[FaultRecord] = field(default_factory=list)
    pending: list[PendingRuling] = field(default_factory=list)
    alarms: list[AlarmRecord] = field(default_factory=list)
    offline: dict[str, str] = field(default_factory=dict)
    test_mode: bool = False
    box_present: bool = True
    box_locked: bool = True
    ledger: BoxLedger = field(default_factory=BoxLedger)
    badges: dict[str, float] = field(default_factory=dict)
    """When a role last badged."""
    next_ruling: int = 1
    round_number: int = 0
    """Rounds that have begun."""
    played: int = 0
    """Rounds that counted."""
    commenced: bool = False
    """A card has been dealt since the table opened."""
    shoe_gives_cards: bool = False
    """A shoe has reported cards: from then on a card must come from it."""
    time_banks: dict[int, int] = field(default_factory=dict)
    """Time banks left, by seat, of players who have used some."""
    last_t: float = 0.0
    someone_away: bool = False
    attention: bool = False
    """A ruling was given that nobody has dealt with yet, by the end of the round or by a person."""
    carried_posts: dict[int, int | None] = field(default_factory=dict)
    """Blinds that stand after a misdeal."""
    carried_antes: dict[int, int | None] = field(default_factory=dict)
    """Antes that stand after a misdeal."""
    entrants: int = 0
    """Players with whom a freeze-out began; 0 before, and in any other game."""
    tournament: TournamentRecord = field(default_factory=TournamentRecord)
    shown_phase: str = ""
    shown_prompt: StoredPrompt = None
    shown_lock: bool | None = None
    shown_lamps: dict[str, bool] = field(default_factory=dict)
