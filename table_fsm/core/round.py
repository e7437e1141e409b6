"""State of the round in hand, until its cards are collected.

It is never stored: after a restart the round's events are replayed.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from table_fsm.core.betting_state import ButtonPurchase, ClockState, EarlyActions, ForcedBets
from table_fsm.core.board_state import BoardState, SecondBoard
from table_fsm.core.button_state import ButtonState
from table_fsm.core.deal_state import Deals, Exposures, FoldedHands, Looks, MixedCards, StudState
from table_fsm.core.house_state import House
from table_fsm.core.standing import GivenRuling
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.tally import ActionTally
from table_fsm.poker.cards.tracker import CardTracker
from table_fsm.poker.draw_order import DrawOrder
from table_fsm.poker.pots import PotResult


class Matter(StrEnum):
    """A matter on which a round rules only once.

    A `RuledMatter` adds the seat, irregularity or card back where there may be several.
    """

    START = "start"
    """A fault that prevents the start of the round; a `RuledMatter` adds its irregularity."""
    STREET = "street"
    """A fault of burns or communal cards, once on each street; a `RuledMatter` adds its irregularity."""
    FORCED_BET = "forced_bet"
    """A blind or ante; a `RuledMatter` adds which of them and the seat."""
    FIRST_BET = "first_bet"
    """The first bet; without a keypad, the end of the first betting round."""
    BACK = "back"
    DOUBTED = "doubted"
    """A card that is none of the pack or is there already; a `RuledMatter` adds its zone and the name read."""
    DEALT_BY_HAND = "dealt_by_hand"
    """Cards from elsewhere than the shoe, which has given none; a `RuledMatter` adds where it is the shoe's absence."""
    TOO_MANY_CARDS = "too_many_cards"
    STUB_COUNT = "stub_count"
    """The number of undealt cards, counted as they were shuffled in the round."""
    FINAL_CARD = "final_card"
    OPEN_CARD = "open_card"
    """A card that belongs face up and lies face down; a `RuledMatter` adds whose, which, and whether players acted."""
    CARD_COUNT = "card_count"
    CARD_RETURNED = "card_returned"
    FOLD_EXPOSED = "fold_exposed"
    HANDS_DOWN = "hands_down"
    ROUND_END = "round_end"
    """A round ended before it was over; a `RuledMatter` adds the irregularity."""
    CARDS_HELD = "cards_held"
    RACE = "race"
    """The order of a chip race's cards; a `RuledMatter` adds the seat that was passed over."""
    PLAYER_EXPOSED = "player_exposed"
    OLD_BURN = "old_burn"
    """A burn card that is a discard already and was seen; a `RuledMatter` adds its name."""
    DEALER_HAND = "dealer_hand"
    HAND_WITHOUT_WAGER = "hand_without_wager"
    WAGER = "wager"
    """Wagers in a box that do not go together."""
    WAGER_SIZE = "wager_size"
    """A wager below the minimum."""
    WAGER_ORDER = "wager_order"
    SETTLING_ORDER = "settling_order"
    HAND_NOT_WHOLE = "hand_not_whole"
    """A card that is missing from a hand which was turned to be settled."""


RuledMatter: TypeAlias = tuple[Matter, int | str | None] | tuple[Matter, str, int]
WITHOUT_SHOE: Final[RuledMatter] = (Matter.DEALT_BY_HAND, "offline")
"""Cards that are dealt by hand while the shoe is offline."""


@dataclass(slots=True)
class Cutting:
    """The cut of this round."""

    done: bool = False
    by_player: bool = False
    """A player cut, where the dealer cuts: the dealer's own cut is no second one."""
    depth: int | None = None
    """Cards from the nearer end; None where they were not counted."""
    stub_due: bool = False
    """The undealt cards were shuffled to carry out a ruling, and may be cut before the next card."""
    discards_due: bool = False
    """Discards were shuffled into the undealt cards, which are still to be cut before the next card."""
    stub_loose: bool = False
    """The undealt cards were shuffled, and no card has come since: a cut of them changes nothing."""

    def make(self, depth: int | None, *, by_player: bool = False) -> None:
        """Note the cut of the pack. `by_player`: a player cut, where the dealer cuts."""
        self.done, self.depth, self.by_player = True, depth, by_player

    def forget(self) -> None:
        """Note that the pack has been shuffled since it was cut."""
        self.done, self.depth, self.by_player = False, None, False

    def ask_for_stub(self, asked: bool) -> None:
        """Note that the undealt cards were shuffled. `asked`: whether the book requires their cut."""
        self.stub_due, self.stub_loose = asked, True

    def stub_over(self) -> None:
        """Note that the undealt cards have been cut, or that the next card has come."""
        self.stub_due = self.stub_loose = False

    def ask_for_discards(self, asked: bool) -> None:
        """Note that discards were shuffled into the undealt cards. `asked`: whether the book requires their cut."""
        self.discards_due = asked

    def discards_over(self) -> None:
        """Note that those cards have been cut, or that the next of them has come."""
        self.discards_due = False


@dataclass(slots=True)
class Rulings:
    """The rulings of a round."""

    given: dict[int, GivenRuling] = field(default_factory=dict)
    """Rulings by id that a supervisor may still overrule."""
    matters: set[RuledMatter] = field(default_factory=set)
    """Matters that the round has ruled on and does not rule on again."""

    def give(self, number: int, ruling: GivenRuling) -> None:
        """Note a ruling that a supervisor may overrule."""
        self.given[number] = ruling

    def take_over(self, given: dict[int, GivenRuling]) -> None:
        """Go on with the rulings that were given between two rounds, as a snapshot has kept them."""
        self.given = dict(given)

    def settle(self, matter: RuledMatter) -> None:
        """Note that a matter is not ruled on again in this round."""
        self.matters.add(matter)

    def reopen(self, matter: RuledMatter) -> None:
        """Allow another ruling on a matter, because the fault was corrected."""
        self.matters.discard(matter)

    def forget_race(self) -> None:
        """Allow rulings on the order of a chip race again, because another race begins."""
        self.matters = {matter for matter in self.matters if matter[0] is not Matter.RACE}

    def forget_street(self) -> None:
        """Allow rulings on burns and communal cards again, because a new street begins."""
        self.matters = {matter for matter in self.matters if matter[0] is not Matter.STREET}


@dataclass(slots=True)
class ShowdownState:
    """The showdown of a round."""

    decided: bool = False
    """The showdown, or the win of the last hand left, has been announced."""
    by_folds: bool = False
    """The last hand left has won before there was a showdown."""
    last_fold_wins: int | None = None
    """The seat of the last player who folded, who wins because no live hand has the right number of cards."""
    low_halves: list[PotResult] = field(default_factory=list)
    """The winners of the low half of each pot, in games that split with the low hand."""
    mucked_unseen: set[int] = field(default_factory=set)
    """Live seats whose cards went to the discards although they must be tabled."""
    tabled: set[int] = field(default_factory=set)
    """Seats that have turned up a card of theirs when it was to be shown. A card that was dealt face up is none."""
    pots: dict[int, int] = field(default_factory=dict)
    """The pots that the dealer counted, by number from 1, in cents."""


@dataclass(slots=True)
class TournamentRound:
    """What a tournament adds to a round."""

    cards_released: bool = False
    """Hand for hand: the director has released the cards after an all-in that was called."""
    race_cards: CardTracker | None = None
    """The cards of a chip race before this round; None where none has been dealt."""

    def deal_race(self, cards: CardTracker) -> None:
        """Begin to track the cards of a chip race."""
        self.race_cards = cards

    def forget_race(self) -> None:
        """Forget the cards of the race: it is over, begins anew, or the pack was shuffled."""
        self.race_cards = None


@dataclass(slots=True)
class DeckDoubts:
    """State of the doubts about the pack in play, beside its cards."""

    order_judged: int = 0
    """Number of named cards when their order was last judged. The end of the round judges the order once more."""
    order_told: bool = False
    """A ruling has said that the cards came in an order that no shuffle leaves."""
    reader_lost: bool = False
    """A device went offline in this round, so a card may have come unseen."""


@dataclass(slots=True)
class Round:
    """One round, from the shuffle to the collection.

    Each field of a part has one writer: methods of the part, or one module of the game. A test checks this.
    """

    tracker: CardTracker
    """Where each card is."""
    deck: str | None = None
    """The name of the pack in play, where it is known."""
    chips: str | None = None
    """The pack that the chip of the round's first card is of, where its cards are chips of one of several packs."""
    deal_announced: bool = False
    """The dealer has announced the deal: no more bets."""
    started: bool = False
    """The first card has left the shoe or come to rest."""
    absent: set[int] = field(default_factory=set)
    """Seats whose player was away when the first card came."""
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
    mixed: MixedCards = field(default_factory=MixedCards)
    exposures: Exposures = field(default_factory=Exposures)
    folded: FoldedHands = field(default_factory=FoldedHands)
    stud: StudState = field(default_factory=StudState)
    draw: DrawOrder | None = None
    """Draw games: the replacements of each player; set from the end of the first betting round."""
    board: BoardState = field(default_factory=BoardState)
    second_board: SecondBoard | None = None
    """Run twice: the second board, once it has been agreed."""
    betting: Betting | None = None
    """The betting of a player-banked round; set from the end of the initial deal."""
    actions: ActionTally = field(default_factory=ActionTally)
    """Actions in turn since the deal."""
    early: EarlyActions = field(default_factory=EarlyActions)
    clock: ClockState = field(default_factory=ClockState)
    house: House = field(default_factory=House)
    showdown: ShowdownState = field(default_factory=ShowdownState)
    tournament: TournamentRound = field(default_factory=TournamentRound)

    def play_with(self, deck: str | None) -> None:
        """Set the name of the pack in play; None while it is not known."""
        self.deck = deck

    def play_with_chips(self, pack: str | None) -> None:
        """Set the pack that the round's chips are of; None while it is not known."""
        self.chips = pack

    def next_street(self) -> None:
        """Go on to the next street. The caller knows that the book has one."""
        self.street += 1
