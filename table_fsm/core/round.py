"""What a table remembers of the round in hand, until its cards are collected.

None of it is ever stored: after a restart the round's events are replayed.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from table_fsm.core.betting_state import ButtonPurchase, ClockState, EarlyActions, ForcedBets
from table_fsm.core.board_state import BoardState, SecondBoard
from table_fsm.core.button_state import ButtonState
from table_fsm.core.deal_state import Deals, Exposures, FoldedHands, Looks, StudState
from table_fsm.core.house_state import House
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
class Rulings:
    """The rulings of a round."""

    given: dict[int, GivenRuling] = field(default_factory=dict)
    """By id: those that a supervisor may still overrule."""
    matters: set[RuledMatter] = field(default_factory=set)
    """Matters that the round has ruled on and does not rule on again."""

    def settle(self, matter: RuledMatter) -> None:
        """Note that a matter is not ruled on again in this round."""
        self.matters.add(matter)

    def reopen(self, matter: RuledMatter) -> None:
        """Let a matter be ruled on once more: what was wrong has been put right."""
        self.matters.discard(matter)

    def forget_street(self) -> None:
        """Let faults of burns and communal cards be ruled on once more: a new street begins."""
        self.matters = {matter for matter in self.matters if matter[0] is not Matter.STREET}


@dataclass(slots=True)
class ShowdownState:
    """How a round is decided."""

    decided: bool = False
    """The showdown, or the last hand left, has been announced."""
    last_fold_wins: int | None = None
    """Nobody live holds the right number of cards: the last player who folded, by seat, wins."""
    low_halves: list[PotResult] = field(default_factory=list)
    """Who takes the low half of each pot, in games where the low hand wins too."""
    pots: dict[int, int] = field(default_factory=dict)
    """The pots that the dealer counted, by number from 1, in cents."""


@dataclass(slots=True)
class TournamentRound:
    """What a tournament adds to a round."""

    cards_released: bool = False
    """Hand for hand: the director has let the cards of an all-in that was called come."""
    race_cards: CardTracker | None = None
    """The cards of a chip race before this round; None where none has been dealt."""

    def deal_race(self, cards: CardTracker) -> None:
        """Begin to track the cards of a chip race."""
        self.race_cards = cards

    def forget_race(self) -> None:
        """Forget them: the race is over, begins anew, or the pack has been shuffled."""
        self.race_cards = None


@dataclass(slots=True)
class DeckDoubts:
    """What the judgement of the pack in play needs beside its cards."""

    order_judged: int = 0
    """How many cards had been named when their order was last judged; the end of the round judges once more."""
    reader_lost: bool = False
    """A device went away in this round: a card that was not seen may have been there."""


@dataclass(slots=True)
class Round:
    """One round, from the shuffle to the collection.

    A field of a part has one writer: methods of the part, or one module of the game. A test holds this.
    """

    tracker: CardTracker
    """Where each card is."""
    deck: str | None = None
    """The name of the pack in play, where it is known."""
    deal_announced: bool = False
    """The dealer has announced the deal: no more bets."""
    started: bool = False
    """The first card has left the shoe or come to rest."""
    absent: set[int] = field(default_factory=set)
    """Seats whose player was not there when the first card came."""
    street: int = 0
    """Index of the street in progress in the book's streets."""
    rulings: Rulings = field(default_factory=Rulings)
    doubts: DeckDoubts = field(default_factory=DeckDoubts)
    cut: Cutting = field(default_factory=Cutting)
    button: ButtonState = field(default_factory=ButtonState)
    forced: ForcedBets = field(default_factory=ForcedBets)
    purchase: ButtonPurchase = field(default_factory=ButtonPurchase)
    deals: Deals = field(default_factory=Deals)
    looks: Looks = field(default_factory=Looks)
    exposures: Exposures = field(default_factory=Exposures)
    folded: FoldedHands = field(default_factory=FoldedHands)
    stud: StudState = field(default_factory=StudState)
    draw: DrawOrder | None = None
    """Draw games: what each player replaces, from the end of the first betting on."""
    board: BoardState = field(default_factory=BoardState)
    second_board: SecondBoard | None = None
    """Run twice: the second board, once it has been agreed."""
    betting: Betting | None = None
    """The betting of a player-banked round, from the end of the initial deal on."""
    actions: ActionTally = field(default_factory=ActionTally)
    """Actions in turn since the deal."""
    early: EarlyActions = field(default_factory=EarlyActions)
    clock: ClockState = field(default_factory=ClockState)
    house: House = field(default_factory=House)
    showdown: ShowdownState = field(default_factory=ShowdownState)
    tournament: TournamentRound = field(default_factory=TournamentRound)

    def play_with(self, deck: str | None) -> None:
        """Note the pack in play by its name; None: not known yet."""
        self.deck = deck

    def next_street(self) -> None:
        """Go on to the next street. The caller knows that the book has one."""
        self.street += 1
