"""A finished hand as PHH, the poker hand history format (TOML): for programs that study or replay hands.

What is written has been read back: the format's own reader plays the hand from it, action by action, and comes to the
winners that the table found. A hand that it cannot play so is not written, and the reason is told: a game for which the
format has no word, bets that nobody keyed, a course that a ruling changed. Stacks that nobody knows are infinite
(`inf`); whoever went all in had what they put in. Amounts are what the rulebook says: money, in whole units
of the currency that the file names (`2.50`), or points.

Source of the format: J. Kim, "Recording and Describing Poker Hands" (2024), as the library pokerkit reads it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from feltd.door import RecordRows
from feltd.page.history.replayed import each_event
from feltd.page.history.search import FoundRound
from feltd.text.amounts import CENTS_IN_WHOLE, sign_of
from feltd.text.errors import FeltdError
from table_fsm import events as ev
from table_fsm.felt import AmountUnit, PlayerAction
from table_fsm.outputs import Output, Refusal, Showdown
from table_fsm.poker.betting.acting import PUTS_CHIPS
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.denomination import Denomination
from table_fsm.rulebook.model import Book
from table_fsm.table import Table
from table_fsm.view.chips import Chips
from table_fsm.view.shapes import TableView

if TYPE_CHECKING:
    from pokerkit import HandHistory, State

VARIANTS: Final[Mapping[tuple[str, int, str], str]] = {
    ("any_five", 2, "no_limit"): "NT",
    ("any_five", 2, "limit"): "FT",
    ("two_of_four", 4, "pot"): "PO",
}
"""What the format has of the games here, by how a hand is made, hole cards and betting: hold'em without limit and with
fixed limits, Omaha by the pot. Stud it has with fixed limits and a bring-in only, draw games only as lowball."""
FLOP: Final = 3
BOARD: Final = 5
_PLAYED: Final = PUTS_CHIPS | {PlayerAction.CHECK}
"""Actions that are a move in the file; folds have one of their own."""


class NotToldError(FeltdError):
    """The round cannot be told in this format. The message says why."""


@dataclass(slots=True)
class _Hand:
    """A hand as it is put together, event by event. Seats are the table's."""

    holes: int
    """Hole cards that a player gets."""
    counted: Denomination
    order: list[int] = field(default_factory=list)
    start: dict[int, Chips] = field(default_factory=dict)
    """As the first betting round opened: blinds and antes."""
    end: dict[int, Chips] = field(default_factory=dict)
    blinds: int = 2
    hole_cards: dict[int, list[str | None]] = field(default_factory=dict)
    board: list[str] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    """Who has tabled a hand, in that order."""
    acts: list[tuple[int, str]] = field(default_factory=list)
    """(seat or 0 for the board, what): the format's actions behind the player."""
    dealt: list[str] = field(default_factory=list)
    """The cards of the board that stand among the acts."""
    redealt: bool = False
    """Cards of the board were taken back after somebody had bet on them."""
    keyed: bool = False
    first_raises: dict[bool, int] = field(default_factory=dict)
    """By whether it was on one of the last two streets: the first bet or raise there, above the bet to meet."""
    winners: set[int] = field(default_factory=set)

    def take(self, event: ev.Event, outputs: tuple[Output, ...], table: Table) -> None:
        """One event of the round, taken."""
        chips = table.chips()
        if not chips:
            return
        if not self.order:
            self.order, self.start, self.end = list(chips), chips, chips
            self.blinds = len(table.option("blinds") or (0, 0))
        view = table.view()
        self._cards(view, table.cards_by_zone())
        self._acts(event, outputs, chips)
        for output in outputs:
            if isinstance(output.value, Showdown):
                self.winners.update(output.value.winners)
        self.end = chips

    def _cards(self, view: TableView, zones: Mapping[str, list[str | None]]) -> None:
        for seat in self.order:
            lying = zones.get(f"seat:{seat}", [])
            if len(lying) == self.holes:
                self.hole_cards[seat] = lying
        for place in view["seats"]:
            if len(place["tabled"] or ()) == self.holes and place["seat"] not in self.shown:
                self.shown.append(place["seat"])
        board = [card for card in view["board"] if card is not None and card != "back"]
        if board:
            self.board = board
            self.redealt |= board[: len(self.dealt)] != self.dealt

    def _acts(self, event: ev.Event, outputs: tuple[Output, ...], chips: Mapping[int, Chips]) -> None:
        if isinstance(event, ev.Action) and event.action in _PLAYED:
            self.keyed = True
            if not any(isinstance(output.value, Refusal) for output in outputs):
                self._deal_board()
                self._bet(event.seat, chips)
        for seat, has in chips.items():
            if has.folded and not self.end[seat].folded:
                self._deal_board()
                self.acts.append((seat, "f"))

    def _bet(self, seat: int, chips: Mapping[int, Chips]) -> None:
        if seat not in chips:
            return
        level = _known(max((_known(has.street) for has in self.end.values()), default=0))
        now = _known(chips[seat].street)
        if now <= level:
            self.acts.append((seat, "cc"))
            return
        self.first_raises.setdefault(len(self.dealt) > FLOP, now - level)
        self.acts.append((seat, f"cbr {_written_amount(now, self.counted)}"))

    def _deal_board(self) -> None:
        """The cards of the board that have come since, street by street."""
        while len(self.dealt) < len(self.board) and len(self.board) >= FLOP:
            street = self.board[len(self.dealt) : max(FLOP, len(self.dealt) + 1)]
            self.acts.append((0, "d db " + "".join(street)))
            self.dealt += street

    def finish(self) -> None:
        """The round is over: the hands that were shown or thrown away, and the rest of the board. Where no more could
        be bet the format has the hands before the board, whenever they were shown."""
        live = [seat for seat in self.order if not self.end[seat].folded]
        if len(live) > 1:
            thrown = [seat for seat in live if seat not in self.shown]
            for seat in [*(seat for seat in self.shown if seat in live), *thrown]:
                cards = _cards(self.hole_cards[seat])
                self.acts.append((seat, f"sm {cards}" if seat in self.shown else "sm"))
            self._deal_board()


def hand_history(
    record: RecordRows,
    round_: FoundRound,
    rulebooks: Mapping[str, Rulebook],
    *,
    table: str,
    see_cards: bool = True,
) -> str:
    """Return a finished round in the poker hand history format (PHH).

    `table`: its name. `see_cards`: false leaves out cards that were never shown (`????`). Raises NotToldError if the
    format cannot tell the round, HistoryError if the round cannot be played again, JournalError.
    """
    if round_.result != "complete":
        ended = "is not over" if round_.last is None else f"ended as a {round_.result or 'round without a result'}"
        raise NotToldError(f"round {round_.number} {ended}: there is no finished hand to tell")
    book = rulebooks.get(round_.book or "")
    if book is None:
        raise NotToldError(f"round {round_.number} was played under {round_.book}, which is not here")
    hand, variant = _collected(record, round_, rulebooks, book.book)
    whole = _written(hand, round_, variant, table, open_cards=True)
    _check(whole, hand, round_)
    return (whole if see_cards else _written(hand, round_, variant, table, open_cards=False)).dumps() + "\n"


def _collected(
    record: RecordRows, round_: FoundRound, rulebooks: Mapping[str, Rulebook], book: Book
) -> tuple[_Hand, str]:
    if book.banked != "player":
        raise NotToldError(f"{book.title} is played against the house: the format has poker between players only")
    holes = sum(deal.cards for deal in book.streets[0].deal)
    hand: _Hand | None = None
    variant = ""
    for _, event, outputs, now in each_event(record, round_, rulebooks):
        counted = now.denomination()
        if hand is None and counted is not None:
            hand, variant = _Hand(holes, counted), _variant(book, now, holes)
        if isinstance(event, ev.RunTwice):
            raise NotToldError(f"round {round_.number}: the board was run twice")
        if hand is not None:
            hand.take(event, outputs, now)
    if hand is None or not hand.order:
        raise NotToldError(f"round {round_.number}: nobody came to bet")
    named = [card for cards in hand.hole_cards.values() for card in cards if card is not None] + hand.board
    if len(set(named)) < len(named):
        raise NotToldError(f"round {round_.number}: one card was read in two places")
    if hand.redealt:
        raise NotToldError(f"round {round_.number}: the board was taken back and dealt again after bets on it")
    if any(seat not in hand.hole_cards for seat in hand.order):
        raise NotToldError(f"round {round_.number}: not every player had {holes} cards")
    hand.finish()
    return hand, variant


def _variant(book: Book, table: Table, holes: int) -> str:
    betting = str(table.option("betting"))
    variant = VARIANTS.get((book.hands.selection, holes, betting))
    board = sum(deal.cards for street in book.streets for deal in street.deal if deal.to == "board")
    odd = [name for name, usual in (("deck", 52), ("joker", False), ("winner", "high"))
           if table.option(name) not in (None, usual)]  # fmt: skip
    if variant is None or board != BOARD or len(book.streets) != 4:
        raise NotToldError(f"{book.title}, {betting.replace('_', ' ')}: the format has no word for this game")
    if odd:
        raise NotToldError(f"{book.title} with another {' and '.join(odd)}: the format has no word for this game")
    return variant


def _written(hand: _Hand, round_: FoundRound, variant: str, table: str, *, open_cards: bool) -> "HandHistory":
    from pokerkit import HandHistory

    player = {seat: f"p{number}" for number, seat in enumerate(hand.order, 1)}
    dealt = [f"d dh {player[seat]} {_cards(hand.hole_cards[seat], open_cards or seat in hand.shown)}"
             for seat in hand.order]  # fmt: skip
    counted = hand.counted

    def written(amount: int) -> Any:
        return _written_amount(amount, counted)

    acts = [action if seat == 0 else f"{player[seat]} {action}" for seat, action in hand.acts]
    blinds = [_blind(hand, place, seat) for place, seat in enumerate(hand.order)]
    antes = [_known(hand.start[seat].ante) for seat in hand.order]
    if len(hand.order) == 2:  # the format lists the small blind first, though it is the button and acts last
        blinds.reverse()
        antes.reverse()
    big_blind = max(blinds[:2])
    small_bet = hand.first_raises.get(False, big_blind)
    began = datetime.fromtimestamp(round_.began, UTC)
    limits: dict[str, Any] = (
        {"small_bet": written(small_bet), "big_bet": written(hand.first_raises.get(True, 2 * small_bet))}
        if variant == "FT"
        else {"min_bet": written(big_blind)}
    )
    return HandHistory(
        variant=variant,
        antes=list(map(written, antes)),
        blinds_or_straddles=list(map(written, blinds)),
        starting_stacks=[_stack(hand.end[seat], counted) for seat in hand.order],
        actions=dealt + acts,
        hand=round_.number,
        table=table,
        seats=hand.order,
        time=began.time().replace(microsecond=0),
        time_zone="UTC",
        day=began.day,
        month=began.month,
        year=began.year,
        **_denominated(round_, counted),
        **limits,
    )


def _check(history: "HandHistory", hand: _Hand, round_: FoundRound) -> None:
    """Raises NotToldError unless the format's reader plays the hand as it stands, and to the winners there were."""
    if not hand.keyed and sum(not chips.folded for chips in hand.end.values()) > 1:
        raise NotToldError(f"round {round_.number}: what the players did was not keyed, and the format has to tell it")
    why = (
        f"round {round_.number} does not read as one action after the other: a ruling changed its course, or something "
        "was not keyed; its export with the proof tells it as it was"
    )
    try:
        last = _played(history)
    except (ValueError, ArithmeticError):
        raise NotToldError(why) from None
    winners = {hand.order[place] for place in _pushed_to(last)}
    if last.status:
        raise NotToldError(why)
    if hand.winners and winners != hand.winners:
        raise NotToldError(
            f"round {round_.number} was won by another hand than the format's: its rulebook, or an option, orders "
            "hands in another way"
        )


def _played(history: "HandHistory") -> "State":
    """The hand after its last action. Strictly: the format's own reader would mend what does not fit, guessing.
    Raises ValueError."""
    from pokerkit.notation import parse_action

    state = history.create_state()
    for action in history.actions:
        while state.can_burn_card():
            state.burn_card("??")
        parse_action(state, action)
    return state


def _pushed_to(state: "State") -> Iterator[int]:
    from pokerkit import ChipsPushing

    for operation in state.operations:
        if isinstance(operation, ChipsPushing):
            yield from (place for place, amount in enumerate(operation.amounts) if amount)


def _blind(hand: _Hand, place: int, seat: int) -> int:
    """What a player posted; negative, as the format has it, for who posted beside the blinds."""
    posted = _known(hand.start[seat].street)
    return posted if place < hand.blinds else -posted


def _stack(chips: Chips, counted: Denomination) -> Any:
    return _written_amount(_known(chips.total), counted) if chips.all_in else Decimal("inf")


def _denominated(round_: FoundRound, counted: Denomination) -> dict[str, Any]:
    """The fields that say what the amounts are. The format has none for points."""
    ours = {"_rulebook": round_.book, "_rulebook_digest": round_.digest}
    if counted.unit is AmountUnit.POINTS:
        return {"user_defined_fields": {**ours, "_amounts": counted.unit.value}}
    return {
        "currency": counted.currency,
        "currency_symbol": sign_of(counted.currency).strip(),
        "user_defined_fields": ours,
    }


def _written_amount(amount: int, counted: Denomination) -> int | Decimal:
    """An amount as the file has it: points as they are, cents in whole units of the currency."""
    if counted.unit is AmountUnit.POINTS:
        return amount
    whole, rest = divmod(amount, CENTS_IN_WHOLE)
    return Decimal(amount).scaleb(-2) if rest else whole


def _cards(names: list[str | None], known: bool = True) -> str:
    return "".join(name if name is not None and known else "??" for name in names)


def _known(cents: int | None) -> int:
    if cents is None:
        raise NotToldError("an amount was not keyed, and the format has to tell it")
    return cents
