"""What a table remembers of the round in hand, until its cards are collected.

None of it is ever stored: after a restart the round's events are replayed.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from table_fsm.core.board_state import BoardState, SecondBoard
from table_fsm.core.button_state import ButtonState
from table_fsm.core.deal_state import Deals, Exposures, FoldedHands, Looks, StudState
from table_fsm.core.betting_state import ButtonPurchase, ClockState, EarlyActions, ForcedBets
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.tally import ActionTally
from table_fsm.poker.cards.tracker import CardTracker
from table_fsm.poker.draw_order import DrawOrder
from table_fsm.poker.pots import PotResult


@dataclass(slots=True)
class GivenRuling:
    """A ruling of this round: what a supervisor may still overrule."""

    outcome: str
    also: tuple[str, ...]
    seat: int | None


class Matter(StrEnum):
    """What a round rules on once: for a seat, a fault or a back where there may be several, else for all."""

    START = "start"
    """A fault that stands against the start; beside it its irregularity."""
    STREET = "street"
    """A fault of burns or communal cards, once on each street; beside it its irregularity."""
    FIRST_BET = "first_bet"
    """The first bet, or without a keypad the end of the first betting round."""
    BACK = "back"
    TOO_MANY_CARDS = "too_many_cards"
    FINAL_CARD = "final_card"
    CARD_COUNT = "card_count"
    CARD_RETURNED = "card_returned"
    FOLD_EXPOSED = "fold_exposed"
    HANDS_DOWN = "hands_down"
    CARDS_HELD = "cards_held"
    WAGER = "wager"
    WAGER_LATE = "wager_late"
    WAGER_ORDER = "wager_order"
    PLAY_WAGER = "play_wager"
    """Beside it the kind of fault and the seat."""


RuledMatter: TypeAlias = tuple[Matter, int | str | None] | tuple[Matter, str, int]


@dataclass(slots=True)
class Cutting:
    """The cut of this round."""

    done: bool = False
    depth: int | None = None
    """Cards from the nearer end, where they were counted."""
    stub_due: bool = False
    """The undealt cards were shuffled to carry out a ruling: they may be cut before the next one comes."""

    def make(self, depth: int | None) -> None:
        """Note the cut of the pack."""
        self.done, self.depth = True, depth

    def forget(self) -> None:
        """Note that the pack has been shuffled since it was cut."""
        self.done, self.depth = False, None

    def ask_for_stub(self, asked: bool) -> None:
        """Note that the undealt cards were shuffled. `asked`: the book has them cut as it had the pack."""
        self.stub_due = asked

    def stub_over(self) -> None:
        """Note that they have been cut, or that the next card has come."""
        self.stub_due = False


@dataclass(slots=True)
class HouseSeat:
    """A box in a house-banked round. Wagers in cents."""

    ante: int = 0
    blind: int = 0
    trips: int = 0
    play: int = 0
    play_street: str | None = None
    play_wrong: bool = False
    """The amount was ruled on: it may be put right while its street is open."""
    folded: bool = False
    void: bool = False
    decided: str | None = None
    """The street of the last decision."""
    settled: bool = False
    hand_ruled: bool = False

    @property
    def wagered(self) -> bool:
        """Ante and blind lie in it."""
        return self.ante > 0 and self.blind > 0


@dataclass(slots=True)
class House:
    """A house-banked round."""

    boxes: dict[int, HouseSeat] = field(default_factory=dict)
    any_wager: bool = False
    wager_order: list[int] = field(default_factory=list)
    step: int = 0
    """Index of the deal step in progress."""
    keyed: bool = False
    """A check has been keyed in this round: decisions are reported."""
    window_from: float | None = None
    """Since when players may decide, or the last decision."""
    dealer_open: bool = False
    dealer_ruled: bool = False


@dataclass(slots=True)
class Round:
    """One round, from the shuffle to the collection."""

    tracker: CardTracker
    deck: str | None = None
    deal_announced: bool = False
    started: bool = False
    """The first card has left the shoe or come to rest."""
    order_judged: int = 0
    """How many cards had been named when their order was judged; the end of the round judges once more."""
    reader_lost: bool = False
    """A device went away in this round: what was not seen may have been there."""
    ruled: set[RuledMatter] = field(default_factory=set)
    """Matters that this round has ruled on and does not rule on again."""
    cut: Cutting = field(default_factory=Cutting)
    button: ButtonState = field(default_factory=ButtonState)
    street: int = 0
    deals: Deals = field(default_factory=Deals)
    stud: StudState = field(default_factory=StudState)
    given: dict[int, GivenRuling] = field(default_factory=dict)
    """The rulings of this round, by id."""
    cards_released: bool = False
    """Hand for hand: the director has let the cards of an all-in that was called come."""
    race_cards: CardTracker | None = None
    """The cards of a chip race before this round."""
    looks: Looks = field(default_factory=Looks)
    folded: FoldedHands = field(default_factory=FoldedHands)
    second_board: SecondBoard | None = None
    absent: set[int] = field(default_factory=set)
    """Whose player was not there when the first card came."""
    exposures: Exposures = field(default_factory=Exposures)
    board: BoardState = field(default_factory=BoardState)
    betting: Betting | None = None
    draw: DrawOrder | None = None
    """Draw games: what each player replaces, from the end of the first betting on."""
    actions: ActionTally = field(default_factory=ActionTally)
    """Actions in turn since the deal."""
    forced: ForcedBets = field(default_factory=ForcedBets)
    purchase: ButtonPurchase = field(default_factory=ButtonPurchase)
    early: EarlyActions = field(default_factory=EarlyActions)
    clock: ClockState = field(default_factory=ClockState)
    house: House = field(default_factory=House)
    last_fold_wins: int | None = None
    """Nobody live holds the right number of cards: the last player who folded wins."""
    low_halves: list[PotResult] = field(default_factory=list)
    """Who takes the low half of each pot, in games where the low hand wins too."""
    decided: bool = False
    """The showdown, or the last hand left, has been announced."""
    pots: dict[int, int] = field(default_factory=dict)
    """Counted by the dealer, in cents."""
