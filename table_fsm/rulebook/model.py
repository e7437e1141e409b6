"""The schema of a rulebook file, section by section.

Other modules load, merge and check. A book is written as TOML. A section left out has the values given here; an unknown
key is an error.
"""

from functools import cached_property
from itertools import accumulate
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator

from table_fsm.felt import AmountUnit, Face
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Authority, Outcome

Zone: TypeAlias = Annotated[str, Field(pattern=r"^(board:[1-5]|dealer)$")]
Clause: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
OptionKind: TypeAlias = Literal["flag", "number", "percent", "cents", "seconds", "choice", "cents_list"]


class Section(BaseModel):
    """The base of every section: immutable, and no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AmountRules(Section):
    """The unit of amounts. A book that a table opens with says it itself or takes it from a base.

    No ruling depends on it: it is for people who read amounts and for programs that pass them on.
    """

    unit: AmountUnit | None = None
    """The unit of this book's tables; None in a base that leaves it to the books above it."""
    tournament: AmountUnit | None = None
    """The unit of a table that opens with the option `tournament`; None: `unit`. Under a blind structure the structure
    says whether it counts points."""
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")
    """The currency whose cents they are, and in which a tournament's places are paid: its code in ISO 4217."""


class DeckRules(Section):
    """The pack of cards and its checks."""

    size: int = 52
    joker: bool = False
    packs: int = Field(default=1, ge=1, le=2)
    """Number of packs, of different back colours, that take turns, one for each round."""
    check: Literal["required", "advised"] = "advised"
    """Whether the book asks for a card-by-card check before gaming."""
    from_shoe: bool = False
    """Whether every card must come from the shoe; else only once the shoe has given one (a table may have none)."""
    replacement_badges: tuple[str, ...] = ()
    """Roles of which one must badge when replacement cards come in; empty for none."""


class SeatRules(Section):
    """The rules of seats and players."""

    most: int = Field(default=10, ge=2, le=10)
    least_players: int = Field(default=2, ge=1, le=10)
    """Least number of players to go on with."""
    least_to_begin: int | None = Field(default=None, ge=1, le=10)
    """Number of players who must have taken their seats for the table's first deal, where that is more."""
    halts_when_short: int | None = Field(default=None, ge=1)
    """With this many players fewer than the option `seats_max`, no hand begins once the big blind is at an empty
    seat."""
    away_seconds: int | None = Field(default=None, ge=1)
    """Seconds of absence after which the supervisor is told."""
    idle_rounds: int | None = Field(default=None, ge=1)
    """Rounds without a wager at a full table after which the supervisor is told."""
    absent: Literal["may_be_dealt_in", "dealt_in_and_folded", "dealt_in_and_dead"] = "may_be_dealt_in"
    """Treatment of an absent player's seat. Dead: of one who was absent when the first card came."""
    reduced_most: int | None = Field(default=None, ge=2, le=10)
    """Most players with a deck of fewer than 52 cards, where that is fewer."""
    newcomers: Literal["at_once", "wait_for_blind", "wait_between_button_and_small_blind"] = "at_once"
    """The time at which a player who joins a running game is dealt in."""
    may_post: bool = False
    """A player who joins or comes back may put in a blind that they do not owe."""


class CutRules(Section):
    """The cut before the deal."""

    asked: bool = False
    least_depth: int = Field(default=2, ge=0)
    """Least cards from the nearer end."""
    by: Literal["anyone", "right_of_first", "dealer"] = "anyone"
    """Who cuts: the dealer or any player; the player on the right of the one who gets the first card, else the dealer;
    or the dealer alone. A cut by a player stands where it is the dealer's."""
    late: bool = True
    """Whether cards found uncut may still be cut once the deal has begun, until a bet is made."""


class DealingRules(Section):
    """Hands with a card too many or too few, as the deal shows them, and a burn before a card that came too soon."""

    excess_from: int = Field(default=1, ge=1)
    """This many cards too many, over all hands, are an `excess_card`; fewer are a `wrong_card_count`."""
    short_hand: Literal["player_missed", "wrong_card_count"] = "player_missed"
    """The irregularity when the deal ends with a seat that has some of its cards; a seat with none was missed."""
    burn_stays: bool = False
    """Whether a burn made before a board card that came too soon remains the burn of that street, and no other is made.
    Else another may be made."""
    boxed_counts: bool = False
    """Whether a boxed card that comes to a player in the initial deal counts among the hole cards that were exposed."""


class DealStep(Section):
    """One leg of a deal: a number of cards to a place."""

    to: Literal["seats", "boxes", "board", "dealer", "discards"]
    """To the discards: each player gives up so many of their cards, and gets none for them."""
    cards: int = Field(ge=1, le=5)
    at_a_time: int = Field(default=1, ge=1, le=5)
    face: Face = "down"


class Street(Section):
    """One stage of the round: cards burnt, dealt or turned, and the betting that follows."""

    name: Literal[
        "pre_flop", "flop", "turn", "river", "third", "fourth", "fifth", "sixth", "seventh", "1", "2", "3", "4", "5"
    ]
    burn: bool = False
    deal: tuple[DealStep, ...] = ()
    turn: tuple[Zone, ...] = ()
    """Cards already on the layout that are turned face up."""
    draw: bool = False
    """Draw games: the players replace any of their cards before this street's betting."""
    opener: Literal[
        "after_blinds",
        "after_button",
        "anyone",
        "nobody",
        "low_or_high_card",
        "high_card",
        "high_card_by_suit",
        "high_hand",
        "low_hand",
    ] = "after_button"
    """Who opens the betting. By the cards showing: the lowest or highest card as the option `opener` says, the highest
    card, or the highest hand. In low games, where the ace is the lowest card: the highest card, of equals the spade
    before heart, diamond and club; or the lowest hand."""
    play_multiples: tuple[int, ...] = ()
    """House-banked games: the multiples of the ante that a play wager may be."""

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Faces of the cards that a player gets on this street, in the order of the deal."""
        return tuple(step.face for step in self.deal if step.to == "seats" for _ in range(step.cards))

    @cached_property
    def own_cards(self) -> int:
        """Number of cards that each player gets on this street."""
        return len(self.faces)

    @cached_property
    def given_up(self) -> int:
        """The number of cards that each player gives up on this street."""
        return sum(step.cards for step in self.deal if step.to == "discards")

    @cached_property
    def communal_cards(self) -> int:
        """Number of cards that come to the board on this street."""
        return sum(step.cards for step in self.deal if step.to == "board")


class ButtonRules(Section):
    """The dealer button, behind which the deal begins, or the buck, at which it begins."""

    used: bool = True
    marker: Literal["button", "buck"] = "button"
    first: Literal["right_of_dealer", "left_of_dealer", "as_opened", "drawn"] = "as_opened"
    """The seat where the button begins. Drawn: for the high card, one card to a seat face up, where the table opens
    without it."""
    moves: Literal["to_next_player", "dead"] = "to_next_player"
    """The next seat of the button: the next player; or the seat that had the small blind, with or without a player."""
    judged: Literal["at_first_card", "in_round_too"] = "at_first_card"
    """The time at which a wrong button is noticed: as the deal begins, or also when it is reported in the round."""
    may_be_bought: bool = False
    """Whether a player who would wait between button and small blind may post both blinds and be dealt in."""
    small_blind_may_be_missing: bool = False
    """If the player due to post the small blind leaves, the round has none; else the next player posts it."""
    heads_up: Literal["as_usual", "button_posts_small_blind"] = "as_usual"
    """Blinds of two players: behind the button as ever, or the small blind on the button, who then also acts first."""


class BettingRules(Section):
    """Player-banked betting."""

    raise_cap: int | None = Field(default=None, ge=0)
    """Raises in a betting round of the games named in `capped`."""
    capped: tuple[str, ...] = ("limit", "structured")
    """Values of the option `betting` under which the cap holds."""
    cap_on_antes: bool = True
    """Whether it holds in a game on antes too."""
    blinds: int = Field(default=2, ge=1, le=3)
    """Number of blinds where neither the options nor posts say."""
    inactive_last_blind: Literal["next_player", "from_button"] = "next_player"
    """The opener after the blinds when the last one is not in the round: the next, or the first from the button on."""
    first_round_check: Literal["where_nothing_is_owed", "last_blind_only", "nobody"] = "where_nothing_is_owed"
    ante: Literal["as_opened", "table_minimum"] = "as_opened"
    """Every player's ante where the option `ante` does not say: none, or the amount of the option `table_min`."""
    least_raise: Literal["last_raise", "amount_to_call"] = "last_raise"
    """A raise is never less than the raise, or bet, before it; or than what its player had to add to call."""
    under_raise: Literal["no_raise", "completed"] = "no_raise"
    """After a short all-in at fixed or structured limits: a whole raise above it, or one to the structured level."""
    short_all_in: Literal["bars_raise", "reopens"] = "bars_raise"
    """Whether those who have acted may raise again after an all-in that is less than a raise."""
    last_check: Literal["free", "beats_open_cards"] = "free"
    """In the last round, who may check after a check: anybody, or who can beat the open cards of those who have."""
    uncapped_streets: tuple[str, ...] = ()
    cap_lifted_heads_up: bool = True
    cap_lifted_for_last_two: bool = False
    """Whether it falls, if not between any two, when a final table (option `final_table`) is down to two."""
    action_changed_by: Literal["higher_bet", "any_bet"] = "higher_bet"
    """The event that changes an action out of turn: a bet above its own, or any bet or raise."""
    out_of_turn_chips: Literal["stay", "go_back"] = "stay"
    """Where `return_bet` comes with an action out of turn: at a fold, counting towards the call else; or at once."""
    out_of_turn_folds: Literal["silent", "ruled"] = "silent"
    """A fold out of turn stands. Whether its turn, as it comes, brings a ruling that says so."""
    out_of_turn_stands: Literal["if_unchanged", "after_sufficient_action"] = "if_unchanged"
    """Whether actions out of turn stand too once sufficient action has followed and the skipped player has not
    objected."""
    mucked_raise: Literal["stays", "uncalled_goes_back"] = "stays"
    """The treatment of a raise when its player's hand is mucked with no fold."""
    after_misdeal: Literal["posts_stand", "all_back"] = "posts_stand"
    """Whether blinds and antes stand after a misdeal, or go back as all other bets do."""
    least_bet: Literal["any", "ante", "blind", "table_minimum"] = "any"
    """The least an opening bet or a raise may be, beside what the raises before it ask for. Blind and table
    minimum: the option `table_min`, else the last blind; blind: in a game without blinds the ante."""


class ActionClockRules(Section):
    """A clock for every decision.

    Its seconds and its time banks are the blind structure's, or the options'.
    """

    warnings: tuple[int, ...] = ()
    """Seconds left at which the clock is shown again, in the first period, with a time bank to come."""
    final_warnings: tuple[int, ...] = ()
    """The same in the last period, with no time bank left."""


class ClockRules(Section):
    """A clock on a player."""

    seconds: int | None = Field(default=None, ge=1)
    """Seconds of a called clock."""
    warnings: tuple[int, ...] = ()
    """Seconds left at which the clock is shown again."""
    seat_call_needs_confirm: bool = True
    callers: tuple[Literal["dealer", "supervisor", "director"], ...] = ("dealer", "supervisor", "director")
    """The staff who may call a clock."""
    seat_calls: Literal["any", "another_present"] = "any"
    """The seats that may call one: any, or those of other players who are there."""
    called_beside_action: bool = True
    """Whether a clock may be called where the table plays with an action clock."""
    action: ActionClockRules | None = None


class BoxRules(Section):
    """Drop box and float."""

    used: bool = False
    witness_roles: tuple[str, ...] = ()
    witness_seconds: int = Field(default=60, ge=0)


class RunTwiceRules(Section):
    """All in, the rest of the board may be dealt twice, each for half of each pot."""

    used: bool = False
    above_big_blinds: int = Field(default=100, ge=0)
    """The pot must be above this many big blinds."""
    roles: tuple[str, ...] = ("supervisor",)
    """Roles of which one approves it, by a badge."""
    witness_seconds: int = Field(default=60, ge=0)


class HandRules(Section):
    """The cards that make a hand, and the order of hands."""

    selection: Literal["any_five", "two_of_four", "two_of_three", "five_held"] = "any_five"
    reduced: Literal["reduced", "tas_32", "full"] = "reduced"
    """The order of hands of a deck of fewer than 52 cards."""
    ace: Literal["high", "high_low"] = "high_low"
    """The value of the ace where the option `ace` does not say."""


class ShowdownRules(Section):
    """The order of the showdown, and the player who gets an odd amount."""

    first: Literal["last_aggressor", "last_street_aggressor", "last_called", "after_button"] = "last_aggressor"
    """The last to bet or raise in the round, or on its last street; or who was called in the last betting round held.

    Where there is none, the first after the button.
    """
    blind_is_aggressive: bool = False
    awarded_first: Literal["main_pot", "side_pots"] = "main_pot"
    """The pots that are awarded first, whose players also show first."""
    no_right_hand: Literal["last_fold_wins", "unanswered"] = "unanswered"
    """The winner when nobody left holds the right number of cards; unanswered: the source does not say."""
    all_in: Literal["at_the_end", "before_the_next_card"] = "at_the_end"
    """The time at which hands are tabled once a player is all in and nothing more can be bet."""
    cards_hidden: Literal["always", "until_won"] = "always"
    """The time for which a player may not show cards but at the showdown: always, or until one hand has won."""


class TournamentRules(Section):
    """A tournament at the table: levels, hand for hand, chip races, penalties and placings."""

    level_from: Literal["cut", "cut_or_post", "shuffle"] = "cut"
    """The sign by which a deal begins and its level is settled: the cut, the cut or the first post, or the shuffle.
    At the latest the first card."""
    ante_from: Literal["everyone", "big_blind"] = "everyone"
    """The payer of the ante of the option `ante` beside blinds; a structure says it itself."""
    ante_before_blind: bool = False
    """Of a big-blind ante and the big blind, which a short stack pays first."""
    ante_small_blind_from: int | None = Field(default=None, ge=2, le=10)
    """At a final table of this many players or fewer, and in six-max, the big-blind ante is the small blind's
    amount."""
    ante_heads_up: bool = True
    """Whether there is a big-blind ante between two."""
    hand_for_hand: Literal["none", "charged", "running"] = "none"
    """Whether there is hand for hand, and the clock meanwhile: each hand costs `hand_seconds` of it, or it runs, to
    the end of the level."""
    hand_seconds: int = Field(default=180, ge=1)
    race: Literal["takes_all", "half_up", "players_favour"] | None = None
    """The method of racing odd chips; None: no races at this book's tables."""
    penalties: Literal["none", "hands_or_orbits", "button_rounds"] = "none"
    """The count of a penalty: hands and orbits of this table; or rounds of the button, until it is where the hand
    after the offence would have had it."""
    penalty_orbits: int | None = Field(default=None, ge=1)
    """Most orbits or rounds in one penalty; None: the book names no most."""
    absent_told_after_level: int | None = Field(default=None, ge=1)
    """The director is told of a player who has not been there until the end of this level."""
    placings: Literal["contribution", "stack"] = "contribution"
    """The measure for places of players who go out in one round: what each put into the pots, or the stack before
    the hand."""
    payouts: Literal["star_2025"] | None = None
    """The table of payouts that comes with the source; None: it has none."""


class OptionRule(Section):
    """An option of `table.open` that the book takes."""

    kind: OptionKind
    values: tuple[str, ...] | tuple[int, ...] | tuple[StrictBool, ...] | None = None
    """The allowed values of a choice, number or flag; None: any of its kind."""
    default: bool | int | str | tuple[int, ...] | None = None
    clause: Clause | None = None


class Row(Section):
    """One ruling: the outcome of an irregularity with these facts, by a clause.

    The first match wins.
    """

    irregularity: Irregularity | Literal["*"]
    when: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    outcome: Outcome
    also: tuple[Outcome, ...] = ()
    authority: Authority = Authority.DEALER
    rule: Clause
    text: str = Field(min_length=5, max_length=240)
    note: str | None = None
    """The other reading of the clause, or whose inference the row is."""
    note_before: str | None = None
    """What the note said in the text before this one, "" where it said nothing; None: as now. No digest has it."""

    @field_validator("when", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {key: _as_tuple(item) for key, item in value.items()}


def _as_tuple(value: object) -> object:
    """Return a single value as a tuple of one, and a list as a tuple.

    Strict reading takes no list behind a validator.
    """
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


class PrecedenceRules(Section):
    """Which of two faults of one event is the graver."""

    gravity: tuple[Outcome, ...] = ()
    """All outcomes, the gravest first."""


class StandsRow(Section):
    """One rule of precedence: an irregularity that is ruled on in place of others, or beside them.

    Asked where one event has both.
    """

    irregularity: Irregularity
    outcome: Outcome | None = None
    """Only where the irregularity is ruled on with this outcome; left out: with any."""
    over: tuple[Irregularity, ...] = ()
    """Irregularities that are not ruled on then, graver or not."""
    beside: tuple[Irregularity, ...] = ()
    """Irregularities that are ruled on then too."""
    rule: Clause
    text: str = Field(min_length=5, max_length=240)
    note: str | None = None


class Behaviour(Section):
    """A clause that the table follows without a ruling, printed for the reader of the book."""

    rule: Clause
    text: str


class Book(Section):
    """One rulebook, its bases merged into it."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    source: str = ""
    clauses: str | None = Field(default=None, pattern=r"^[a-z0-9-]+$")
    """The id of the list of the source's clauses; see `clauses`."""
    appendix: str | None = Field(default=None, pattern=r"^[A-Z]$")
    """The letter that stands for {appendix} in the clauses of this book and its bases."""
    abstract: bool = False
    """The book is only a base: no table opens with it."""
    extends: tuple[str, ...] = ()
    banked: Literal["player", "house"] = "player"
    needs: tuple[str, ...] = ()
    """Kinds of device without which no round starts (the word before ':' or '-' in a device's name)."""
    amounts: AmountRules = AmountRules()
    deck: DeckRules = DeckRules()
    seats: SeatRules = SeatRules()
    cut: CutRules = CutRules()
    dealing: DealingRules = DealingRules()
    streets: tuple[Street, ...] = ()
    button: ButtonRules = ButtonRules()
    betting: BettingRules = BettingRules()
    clock: ClockRules = ClockRules()
    box: BoxRules = BoxRules()
    run_twice: RunTwiceRules = RunTwiceRules()
    hands: HandRules = HandRules()
    showdown: ShowdownRules = ShowdownRules()
    tournament: TournamentRules = TournamentRules()
    options: dict[str, OptionRule] = Field(default_factory=dict)
    rulings: tuple[Row, ...] = ()
    precedence: PrecedenceRules = PrecedenceRules()
    stands: tuple[StandsRow, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()

    @cached_property
    def board_cards(self) -> tuple[int, ...]:
        """Number of communal cards before the first street, and when each street's are complete."""
        return tuple(accumulate((street.communal_cards for street in self.streets), initial=0))

    @cached_property
    def open_cards(self) -> tuple[int, ...]:
        """Number of face-up cards that each player has been dealt by the end of each street."""
        return tuple(accumulate(street.faces.count("up") for street in self.streets))

    @cached_property
    def hand_cards(self) -> int:
        """Number of own cards that a player has left when all streets are dealt."""
        return sum(street.own_cards - street.given_up for street in self.streets)
