"""`WaitingRoom.apply`: the one way in which waiting lists change."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from floor_fsm.core.event import Event
from floor_fsm.core.output import Output
from floor_fsm.core.required import require_behind, require_person
from floor_fsm.errors import Reason, Refused
from floor_fsm.waiting import messages
from floor_fsm.waiting.book import WaitingBook
from floor_fsm.waiting.messages import End, SeatFree, SeatHeld, WaitOver, Waits
from floor_fsm.waiting.state import Game, GameTable, Held, Lists, Place, Sat, Wait

WAITS_MOST: Final = 500
"""People on all lists together: more are no list that anybody calls."""
GAMES_MOST: Final = 40
SAT_MOST: Final = 100
"""Seats that were taken last: more are taken by nobody in the minutes in which a table tells of them."""
Taken = tuple[Lists, tuple[Output, ...]]
_ADAPTER: Final = TypeAdapter(Lists)


class WaitingRoom:
    """The waiting lists of one card room under a book. The same events give the same outputs for ever."""

    def __init__(self, book: WaitingBook) -> None:
        self.book: Final = book
        self._lists = Lists()
        self._seq = 0
        self._t = 0.0

    @property
    def seq(self) -> int:
        """The number of the last event that was taken; 0 before the first."""
        return self._seq

    @property
    def t(self) -> float:
        """The second of the last event."""
        return self._t

    @property
    def lists(self) -> Lists:
        """The state."""
        return self._lists

    def copied(self) -> "WaitingRoom":
        """A room at the same event, which goes on by itself."""
        other = WaitingRoom(self.book)
        other._lists, other._seq, other._t = self._lists, self._seq, self._t
        return other

    def apply(self, event: Event) -> tuple[Output, ...]:
        """Take an event. Raises Refused before anything has changed."""
        require_behind(event, self._t)
        require_person(event)
        if self._lists.closed:
            raise Refused(Reason.WRONG_STATE, f"{event.ev}: these lists are closed for good; open others")
        self._lists, outputs = TAKES[type(event)](self.book, self._lists, event)
        self._seq, self._t = self._seq + 1, event.t
        return outputs

    def told(self) -> dict[str, Any]:
        """Return the state as JSON has it."""
        told: dict[str, Any] = _ADAPTER.dump_python(self._lists, mode="json")
        return told


def lists_of(told: Mapping[str, Any]) -> Lists:
    """The state that `WaitingRoom.told` tells of. Raises pydantic's ValidationError where it is none."""
    return _ADAPTER.validate_python(told)


# -- games


def _listed(book: WaitingBook, lists: Lists, event: messages.GameListed) -> Taken:
    if lists.game(event.game) is not None:
        raise Refused(Reason.NUMBER_IS_TAKEN, f"there is a list {event.game} already: choose another short name")
    if len(lists.games) >= GAMES_MOST:
        raise Refused(Reason.FULL, f"there are {GAMES_MOST} lists already: close one first")
    minutes = book.hold.minutes if event.hold_minutes is None else event.hold_minutes
    return replace(lists, games=(*lists.games, Game(event.game, event.name, minutes * 60.0))), ()


def _tables_named(book: WaitingBook, lists: Lists, event: messages.TablesNamed) -> Taken:
    game, named = _game(lists, event.game), {one.table: one.seats for one in event.tables}
    if len(named) < len(event.tables):
        raise Refused(Reason.NAMED_TWICE, "a table is named twice: name each one once, with all of its seats")
    for other in lists.games:
        both = [one.table for one in other.tables if one.table in named]
        if other.id != game.id and both:
            words = f"{both[0]} is a table of {other.name}: take it from that list first"
            raise Refused(Reason.NAMED_TWICE, words)
    for wait in lists.of_game(game.id):
        if wait.held is not None and wait.held.seat not in named.get(wait.held.table, ()):
            words = f"seat {wait.held.seat} of {wait.held.table} is held for {wait.name}: take the call back first"
            raise Refused(Reason.WRONG_STATE, words, book.hold.clause)
    tables = tuple(GameTable(one.table, one.seats) for one in event.tables)
    return replace(lists, games=tuple(replace(one, tables=tables) if one == game else one for one in lists.games)), ()


def _unlisted(book: WaitingBook, lists: Lists, event: messages.GameClosed) -> Taken:
    game, there = _game(lists, event.game), len(lists.of_game(event.game))
    if there:
        raise Refused(
            Reason.WRONG_STATE, f"{there} wait for {game.name}: move them to another list or take them off first"
        )
    return replace(lists, games=tuple(one for one in lists.games if one != game)), ()


def _closed(book: WaitingBook, lists: Lists, event: messages.RoomClosed) -> Taken:
    if lists.waits:
        raise Refused(Reason.WRONG_STATE, f"{len(lists.waits)} still wait: seat them or take them off first")
    return replace(lists, closed=True), ()


# -- who waits


def _joined(book: WaitingBook, lists: Lists, event: messages.Joined) -> Taken:
    game = _game(lists, event.game)
    if event.number != lists.last + 1:
        raise Refused(Reason.NUMBER_IS_TAKEN, f"the next number is {lists.last + 1}, not {event.number}")
    if len(lists.waits) >= WAITS_MOST:
        raise Refused(Reason.FULL, f"{WAITS_MOST} wait already: take off who is not there any more")
    _require_once(book, lists, event.person, game)
    sits = None
    if event.from_table is not None:
        sits = Place(event.from_table, event.from_seat)
    elif event.from_seat is not None:
        raise Refused(Reason.NO_SUCH_SEAT, "a seat without its table: say at which table they sit")
    wait = Wait(event.number, event.person, event.name, game.id, event.t, sits=sits)
    return _at_the_end(lists, wait)


def _corrected(book: WaitingBook, lists: Lists, event: messages.Corrected) -> Taken:
    wait = _wait(lists, event.number)
    others = lists.without(wait.number)
    _require_once(book, others, event.person, _game(lists, wait.game))
    sits = next((one.sits for one in others.of_person(event.person) if one.sits is not None), None)
    if others.held_for(event.person) is not None or (sits is not None and wait.sits is None):
        _require_not_called(book, wait)  # one person has one seat, and changes tables by approval alone
    return lists.having(replace(wait, person=event.person, name=event.name, sits=wait.sits or sits)), ()


def _moved(book: WaitingBook, lists: Lists, event: messages.WaitMoved) -> Taken:
    wait, game = _wait(lists, event.number), _game(lists, event.game)
    _require_not_called(book, wait)
    _require_once(book, lists, wait.person, game)
    return _at_the_end(lists, replace(wait, game=game.id, since=event.t, passed=0, approved=False))


def _taken_off(book: WaitingBook, lists: Lists, event: messages.TakenOff) -> Taken:
    return _over(lists, _wait(lists, event.number), End.TAKEN_OFF)


def _approved(book: WaitingBook, lists: Lists, event: messages.TransferApproved) -> Taken:
    wait = _wait(lists, event.number)
    if not wait.needs_approval:
        words = f"{wait.name} needs no approval" if wait.sits is None else f"{wait.name} has the approval already"
        raise Refused(Reason.WRONG_STATE, words, book.transfers.clause)
    return lists.having(replace(wait, approved=True)), ()


# -- seats


def _called(book: WaitingBook, lists: Lists, event: messages.Called) -> Taken:
    wait = _wait(lists, event.number)
    _require_not_called(book, wait)
    if wait.needs_approval:
        raise Refused(
            Reason.NOT_DECIDED, f"{wait.name} changes tables: a supervisor approves it first", book.transfers.clause
        )
    elsewhere = lists.held_for(wait.person)
    if elsewhere is not None:
        words = f"seat {elsewhere.seat} of {elsewhere.table} is held for {wait.name}"
        raise Refused(Reason.SEATED_ALREADY, words, book.hold.clause)
    first = next(one for one in lists.of_game(wait.game) if one == wait or lists.may_be_called(one))
    if first != wait:
        words = f"{first.name} (number {first.number}) waits longer: call them first, or pass them over"
        raise Refused(Reason.OTHERS_WAIT_LONGER, words, book.order.clause)
    _require_its_table(_game(lists, wait.game), event.table, event.seat)
    for one in lists.waits:
        if one.held is not None and (one.held.table, one.held.seat) == (event.table, event.seat):
            words = f"seat {event.seat} of {event.table} is held for {one.name}"
            raise Refused(Reason.SEAT_IS_TAKEN, words, book.hold.clause)
    until = event.t + _game(lists, wait.game).hold
    held = Held(event.table, event.seat, event.t, until)
    return lists.having(replace(wait, held=held)), (SeatHeld(wait.number, held.table, held.seat, until),)


def _call_taken_back(book: WaitingBook, lists: Lists, event: messages.CallTakenBack) -> Taken:
    wait = _wait(lists, event.number)
    held = _held(wait)
    return lists.having(replace(wait, held=None)), (SeatFree(held.table, held.seat),)


def _sat_down(book: WaitingBook, lists: Lists, event: messages.SatDown) -> Taken:
    wait = _wait(lists, event.number)
    held = _held(wait)
    after = lists.without(wait.number).taking(Sat(held.table, held.seat, event.t), SAT_MOST)
    for other in after.of_person(wait.person):  # whoever sits, and waits for another game, changes tables for it
        after = after.having(replace(other, sits=Place(held.table, held.seat), approved=False))
    return after, (WaitOver(wait.number, End.SAT_DOWN),)


def _passed_over(book: WaitingBook, lists: Lists, event: messages.PassedOver) -> Taken:
    wait = _wait(lists, event.number)
    held = _held(wait)
    if not event.declined and event.t < held.until:
        words = f"the seat is held for {wait.name} for {held.until - event.t:.0f} seconds more, unless they decline it"
        raise Refused(Reason.NOT_ALLOWED, words, book.hold.clause)
    if wait.passed >= book.passing.times:
        return _over(lists, wait, End.PASSED_OVER)
    after, told = _at_the_end(lists, replace(wait, held=None, passed=wait.passed + 1))
    return after, (SeatFree(held.table, held.seat), *told)


# -- what they share


def _game(lists: Lists, game: str) -> Game:
    found = lists.game(game)
    if found is None:
        known = ", ".join(one.id for one in lists.games) or "none yet"
        raise Refused(Reason.UNKNOWN_GAME, f"there is no list {game}; there are: {known}")
    return found


def _wait(lists: Lists, number: int) -> Wait:
    found = lists.wait(number)
    if found is None:
        raise Refused(Reason.UNKNOWN_ENTRY, f"nobody waits under number {number}: look at the list again")
    return found


def _held(wait: Wait) -> Held:
    if wait.held is None:
        raise Refused(Reason.NOT_SEATED, f"{wait.name} was not called: no seat is held for them")
    return wait.held


def _require_not_called(book: WaitingBook, wait: Wait) -> None:
    if wait.held is not None:
        words = f"seat {wait.held.seat} of {wait.held.table} is held for {wait.name}: take the call back first"
        raise Refused(Reason.SEATED_ALREADY, words, book.hold.clause)


def _require_once(book: WaitingBook, lists: Lists, person: str, game: Game) -> None:
    there = next((one for one in lists.of_person(person) if one.game == game.id), None)
    if there is not None:
        words = f"{there.name} waits for {game.name} already, under number {there.number}"
        raise Refused(Reason.ENTERED_ALREADY, words, book.report.clause)


def _require_its_table(game: Game, table: str, seat: int) -> None:
    """Of a game whose tables are named, nobody is called to another one, nor to a seat that it does not have."""
    seats = {one.table: one.seats for one in game.tables}
    if not seats:
        return
    if table not in seats:
        raise Refused(Reason.UNKNOWN_TABLE, f"{table} is no table of {game.name}: name it as one of them first")
    if seat not in seats[table]:
        raise Refused(Reason.NO_SUCH_SEAT, f"{table} has no seat {seat} for {game.name}")


def _at_the_end(lists: Lists, wait: Wait) -> Taken:
    after = lists.at_the_end(wait)
    return after, (Waits(wait.number, wait.game, len(after.of_game(wait.game))),)


def _over(lists: Lists, wait: Wait, how: End) -> Taken:
    free = () if wait.held is None else (SeatFree(wait.held.table, wait.held.seat),)
    return lists.without(wait.number), (*free, WaitOver(wait.number, how))


TAKES: Final[Mapping[type[Event], Callable[[WaitingBook, Lists, Any], Taken]]] = {
    messages.GameListed: _listed,
    messages.TablesNamed: _tables_named,
    messages.GameClosed: _unlisted,
    messages.RoomClosed: _closed,
    messages.Joined: _joined,
    messages.Corrected: _corrected,
    messages.WaitMoved: _moved,
    messages.TakenOff: _taken_off,
    messages.TransferApproved: _approved,
    messages.Called: _called,
    messages.CallTakenBack: _call_taken_back,
    messages.SatDown: _sat_down,
    messages.PassedOver: _passed_over,
}
KINDS: Final[Mapping[str, type[Event]]] = {kind.ev: kind for kind in TAKES}
"""Every event that waiting lists take, by its name."""
