"""Opening and closing of the table; players who come, go and step away."""

from collections.abc import Mapping
from typing import Any, Final

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.core.standing import BoxLedger, SeatRecord
from table_fsm.errors import Refused
from table_fsm.events import SeatAway, SeatBack, SeatIn, SeatOut, Stack, TableClose, TableOpen
from table_fsm.felt import SEAT_ZONE, AlarmKind, clockwise
from table_fsm.outputs import Button
from table_fsm.play import money
from table_fsm.play.betting import stakes
from table_fsm.play.button import dead, newcomers, small_blind
from table_fsm.play.button.button import expected_button, in_game, of_last_two
from table_fsm.play.cards import shoe, shown, unseen
from table_fsm.play.showdown import order_of_hands
from table_fsm.play.tournament import clock, freeze_out, moves, penalties
from table_fsm.rulebook import OptionError, Rulebook, check_options
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Book
from table_fsm.rulebook.round_cards import cards_needed

_OF_FEW: Final = frozenset({"built", "faces"})
"""Options without a default, which few tables name."""


def on_open(core: Core, event: TableOpen) -> None:
    """Open the table under a rulebook.

    Raises Refused with the option's name where an option is wrong.
    """
    standing = core.standing
    if standing.open:
        raise Refused(f"the table is open already, with {standing.rulebook}")
    book = core.rulebooks.get(event.rulebook)
    if book is None:
        raise Refused(f"there is no rulebook {event.rulebook!r}: {', '.join(sorted(core.rulebooks))}")
    try:
        options = check_options(book, event.options)
    except OptionError as error:
        raise Refused(str(error)) from None
    most = options.get("seats_max") or book.book.seats.most
    _check_seats(event.seats, most)
    _check_reduced(book.book, options.get("deck"), len(event.seats))
    _check_cards(book, options, len(event.seats))
    freeze_out.check_open(book.book, options)
    unseen.check_open(book.book, options.get("built"), event.button)
    shown.check_open(book.book, options.get("faces"), event.button)
    if event.button is not None and event.button not in SEAT_ZONE:
        raise Refused(f"button {event.button}: seats are 1 to 10")
    standing.open, standing.rulebook, standing.options = True, book.id, _kept(options)
    standing.seats = {seat: SeatRecord() for seat in sorted(event.seats)}
    standing.highest_seat = max(event.seats, default=0)
    standing.button, standing.button_seen = event.button, None
    standing.small_blind_due, standing.no_small_blind, standing.last_big_blind = None, False, None
    standing.spots, standing.button_skips, standing.button_told = None, False, None
    standing.ledger = BoxLedger(laid_aside=standing.ledger.laid_aside)
    standing.entrants = 0
    standing.carried_posts, standing.carried_antes, standing.carried_all_in = {}, {}, {}
    standing.carried_entries = []
    standing.carried_chips, standing.chips_stay_at, standing.carried_wagers = {}, [], {}
    standing.played, standing.last_deck, standing.collecting = 0, None, False
    standing.commenced = False
    standing.time_banks.clear()
    ready = any(deck.checked and not deck.fouled for deck in standing.decks.values())
    standing.rest = "checking_cards" if book.book.deck.check == "required" and not ready else "waiting"
    adopt_book(core)
    if book.book.button.used and event.button is None and (first := expected_button(core)) is not None:
        core.emit(Button(first))
    clock.opened(core)
    money.judge_box(core)
    shoe.judge_known_decks(core)


def _kept(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the state keeps them. A table that is built as most are keeps the digest that it always had."""
    return {name: value for name, value in options.items() if name not in _OF_FEW or value is not None}


def adopt_book(core: Core) -> None:
    """Build the round machine and a fresh round for the open table's book, and its tables of hands.

    A showdown that made the tables would keep its players waiting.
    """
    rulebook, standing = core.rulebooks[core.standing.rulebook], core.standing
    core.adopt(rulebook, standing.rest, stakes.of_table(rulebook.book, standing.options))
    order_of_hands(core).warm_up()


def take_over(core: Core, kept: Mapping[str, Mapping[str, Any]]) -> None:
    """Go on with the seats as a snapshot has kept them, as JSON objects by seat.

    One of before `comes_in` was kept does not tell who has joined: else the post of a player who may put it in would go
    back.
    """
    for seat, record in kept.items():
        if "comes_in" not in record:
            core.standing.seats[int(seat)].comes_in = core.book.seats.may_post


def _check_seats(seats: list[int], most: object) -> None:
    for seat in seats:
        if seat not in SEAT_ZONE:
            raise Refused(f"there is no seat {seat}: 1 to 10")
        if isinstance(most, int) and seat > most:
            raise Refused(f"seat {seat}: this table has {most}")
    if len(set(seats)) != len(seats):
        raise Refused("a seat is named twice")


def _check_reduced(book: Book, deck: object, players: int) -> None:
    """Raise Refused for too many players at a deck of fewer than 52 cards."""
    most = book.seats.reduced_most
    if most is not None and isinstance(deck, int) and deck < book.deck.size and players > most:
        raise Refused(f"option deck: {deck} cards are for at most {most} players, here are {players}; play with 52")


def _check_cards(book: Rulebook, options: Mapping[str, Any], players: int) -> None:
    """Raise Refused where a round that nobody leaves needs more cards than the deck has.

    Not where a row of the book says what happens then.
    """
    if book.has_own_row(Irregularity.INSUFFICIENT_CARDS):
        return
    deck = options.get("deck") or book.book.deck.size
    burns = options.get("burn")
    needed = cards_needed(book.book, players, 1 if burns is None else burns)
    size = deck + bool(options.get("joker"))
    if needed > size:
        raise Refused(
            f"{players} players take {needed} cards in a round, the deck has {size}: a larger deck, or fewer players"
        )


def on_close(core: Core, event: TableClose) -> None:
    """Close the table, and judge the commission of the last round."""
    core.need_open()
    if core.in_round:
        raise Refused("a round is in progress: it ends with hand.end, a misdeal or void")
    money.judge_round(core)
    core.close()
    core.standing.rest = "closed"
    core.standing.collecting = False


def _known(core: Core, seat: int) -> SeatRecord:
    core.need_open()
    record = core.standing.seats.get(seat)
    if record is None:
        raise Refused(f"seat {seat} has no player")
    return record


def on_seat_in(core: Core, event: SeatIn) -> None:
    """Seat a player; in a running game they may have to wait for their blind."""
    core.need_open()
    book = core.book
    if event.seat in core.standing.seats:
        raise Refused(f"seat {event.seat} is taken")
    _check_seats([event.seat], core.options.seats_max or book.seats.most)
    staying = sum(not record.leaving for record in core.standing.seats.values())
    _check_reduced(book, core.options.deck, staying + 1)
    if core.rulebook is not None:
        _check_cards(core.rulebook, core.standing.options, staying + 1)
    freeze_out.check_joins(core)
    running = core.standing.played > 0 or core.in_round or core.standing.no_small_blind
    waits = running and book.seats.newcomers == "wait_for_blind"
    core.standing.time_banks.pop(event.seat, None)
    core.standing.seats[event.seat] = SeatRecord(
        newcomer=waits, waits=running and newcomers.may_wait(core), comes_in=book.seats.may_post
    )
    if not core.in_round:
        core.round.forced.taken(event.seat)
        _settle(core)
    core.standing.highest_seat = max(core.standing.highest_seat, event.seat)


def on_seat_out(core: Core, event: SeatOut) -> None:
    """Take a player from their seat; during a round they fold and leave when it ends."""
    record = _known(core, event.seat)
    standing = core.standing
    freeze_out.left(core, event.seat)
    _absence_over(core, event.seat)
    if core.in_round:
        record.leaving = True
        core.stage().fold(event.seat)
        return
    small_blind.left(core, [event.seat])
    core.round.forced.left(event.seat)
    core.round.house.forget(event.seat)
    standing.carried_chips.pop(event.seat, None)
    standing.carried_wagers.pop(event.seat, None)
    del standing.seats[event.seat]
    if dead.used(core):
        dead.settle(core)
        return
    if core.book.button.used and (button := of_last_two(core, in_game(core))) is not None:
        if standing.button != button:
            standing.button = button
            core.emit(Button(button))
        return
    marker_there = standing.button_seen == event.seat
    if core.book.button.used and standing.played and standing.button == event.seat and not marker_there:
        _pass_on(core, event.seat)


def _absence_over(core: Core, seat: int) -> None:
    """End the alarms about an absent player who is back or has left for good."""
    told = {AlarmKind.SEAT_LEFT, AlarmKind.ENTRANT_ABSENT}
    for alarm in [a for a in core.standing.alarms if a.kind in told and a.seat == seat]:
        alarms.over(core, alarm)


def _settle(core: Core) -> None:
    """Settle the waiting players, and a dead button, after a player has come."""
    if dead.used(core):
        dead.settle(core)
    else:
        newcomers.settle(core)


def _settle_dead_button(core: Core) -> None:
    """Settle a dead button after a player has stepped away or come back between hands.

    A player who is passed over has no blind and no button.
    """
    if dead.used(core) and not core.in_round:
        dead.settle(core)


def _pass_on(core: Core, seat: int) -> None:
    """Pass the button on, because the player due it has left."""
    if not core.standing.seats:
        return
    core.standing.button = clockwise(in_game(core), seat)[0]
    core.emit(Button(core.standing.button))


def on_stack(core: Core, event: Stack) -> None:
    """Record a counted stack."""
    record = _known(core, event.seat)
    if event.cents < 0:
        raise Refused("stack: cents, 0 or more")
    freeze_out.bank_counted(core, event.seat, event.cents)
    record.stack, record.counted_after = event.cents, core.standing.round_number
    record.counted_in_round = core.in_round


def on_seat_away(core: Core, event: SeatAway) -> None:
    """Record that a player steps away."""
    record = _known(core, event.seat)
    penalties.stepped_away(record)
    if record.away_since is None:
        record.away_since, record.away_told = core.t, False
        core.standing.someone_away = True
        _settle_dead_button(core)
        moves.say(core)


def on_seat_back(core: Core, event: SeatBack) -> None:
    """Record that a player is back.

    After a missed blind they wait for the big blind, or post it (Tasmania 2018, C 19.10).
    """
    record = _known(core, event.seat)
    penalties.check_back(event.seat, record)
    record.came = True
    if record.away_since is None:
        return
    record.away_since, record.away_told = None, False
    core.standing.someone_away = any(seat.away_since is not None for seat in core.standing.seats.values())
    record.newcomer, record.missed_blind = record.newcomer or record.missed_blind, False
    record.comes_in = core.book.seats.may_post
    _absence_over(core, event.seat)
    _settle_dead_button(core)
    moves.say(core)
