"""The table: `Table.apply(event) -> outputs`, a pure function of the events so far.

It never raises: an impossible event gets an `error` output and leaves the state as it was. Time is the events' `t`:
every deadline that has passed by then is judged before the event itself.
"""

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from types import FunctionType, NoneType
from typing import Any, Final

from pydantic import TypeAdapter

from table_fsm import events as ev
from table_fsm.core import alarms, questions
from table_fsm.core.core import Core
from table_fsm.core.standing import Standing
from table_fsm.errors import Refused, TableError
from table_fsm.felt import AlarmKind, Decision, Phase
from table_fsm.outputs import Output, Refusal
from table_fsm.play import money
from table_fsm.play.betting import actions
from table_fsm.play.board import run_twice
from table_fsm.play.button import button
from table_fsm.play.cards import events, shoe, shown, unseen
from table_fsm.play.deck import cutting, doubts
from table_fsm.play.draw import numbers
from table_fsm.play.floor import conduct, decisions, devices, seating, stops
from table_fsm.play.floor.outcomes import carry_out, take_back
from table_fsm.play.house import wagers
from table_fsm.play.rounds import clocks, end, start
from table_fsm.play.rounds.flow import Flow
from table_fsm.play.showdown import order_of_hands
from table_fsm.play.stages.choose import Stages
from table_fsm.play.tournament import clock, entries, hand_for_hand, moves, penalties, places
from table_fsm.poker.hands.order import HandOrder
from table_fsm.prompts.types import PROMPTS, Prompt
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.denomination import Denomination, denomination_of
from table_fsm.view import indicators
from table_fsm.view.chips import Chips, chips_by_seat
from table_fsm.view.prompts import prompt
from table_fsm.view.shapes import TableView
from table_fsm.view.table_view import view

_COUNTS: Final[Any] = {"decks": {"__all__": {"seen"}}}
"""What readers counted of each pack over rounds, as pydantic leaves it out."""
_AS_THEY_ARE: Final = frozenset({str, int, bool, NoneType})
"""Values that JSON has: most of a state. A member of a set that is a text has a type of its own."""

FAULT_OF_OURS: Final = "a fault of the controller itself"
"""Start of the reason of an `error` that should never occur; tests check that it does not. It names no card."""


def _tick(core: Core, event: ev.Event) -> None:
    """Do nothing: deadlines that have passed were judged before the event."""


def _forget_counts(core: Core, event: ev.Event) -> None:
    """Begin to count anew which cards of each pack readers see."""
    for record in core.standing.decks.values():
        record.seen = None


def _copy_counts(core: Core, other: Core) -> None:
    """Go on with what another table has counted of each pack."""
    for colour, record in core.standing.decks.items():
        known = other.standing.decks.get(colour)
        record.seen = None if known is None else deepcopy(known.seen)


def _not_in_this_book(core: Core, event: ev.Event) -> None:
    core.need_open()
    raise Refused(f"{event.ev} has no meaning under {core.standing.rulebook}")


_HANDLERS: Final[dict[type, Callable[[Core, Any], None]]] = {
    ev.TableOpen: seating.on_open,
    ev.TableClose: seating.on_close,
    ev.SeatIn: seating.on_seat_in,
    ev.SeatOut: seating.on_seat_out,
    ev.SeatAway: seating.on_seat_away,
    ev.SeatBack: seating.on_seat_back,
    ev.Stack: seating.on_stack,
    ev.Penalty: penalties.on_penalty,
    ev.Badge: decisions.on_badge,
    ev.Supervisor: decisions.on_supervisor,
    ev.DeviceState: devices.on_device_state,
    ev.ZoneState: devices.on_zone_state,
    ev.TestMode: devices.on_test_mode,
    ev.Tick: _tick,
    ev.CountsLost: _forget_counts,
    ev.ShoeDeckChecked: shoe.on_deck_checked,
    ev.DeckChanged: shoe.on_deck_changed,
    ev.ShoeShuffled: shoe.on_shuffled,
    ev.Cut: cutting.on_cut,
    ev.CutOffered: cutting.on_cut_offered,
    ev.ShoeCard: unseen.on_shoe_card,
    ev.ShoeFault: shoe.on_fault,
    ev.ShoeCleared: shoe.on_cleared,
    ev.CardPlaced: shown.on_card_placed,
    ev.CardTurned: events.on_card_turned,
    ev.CardExposed: events.on_card_exposed,
    ev.CardRemoved: events.on_card_removed,
    ev.CardLeftTable: events.on_card_left_table,
    ev.StubShuffled: events.on_stub_shuffled,
    ev.HandLooked: events.on_hand_looked,
    ev.HandShown: shown.on_hand_shown,
    ev.MarkerPlaced: button.on_marker_placed,
    ev.ButtonDraw: unseen.on_button_draw,
    ev.DealStart: unseen.on_deal_start,
    ev.Wager: wagers.on_wager,
    ev.Action: start.on_action,
    ev.BettingClosed: actions.on_betting_closed,
    ev.Draw: numbers.on_draw,
    ev.RunTwice: run_twice.on_run_twice,
    ev.FloorCalled: decisions.on_floor_called,
    ev.ClockCalled: clocks.on_clock_called,
    ev.ClockStart: clocks.on_clock_start,
    ev.ClockStop: clocks.on_clock_stop,
    ev.Pot: money.on_pot,
    ev.HandEnd: end.on_hand_end,
    ev.DropboxChip: money.on_dropbox_chip,
    ev.DropboxState: money.on_dropbox_state,
    ev.FloatCommission: money.on_float_commission,
    ev.FloatColourChange: money.on_colour_change,
    ev.TournamentClock: clock.on_clock,
    ev.TournamentHandForHand: hand_for_hand.on_hand_for_hand,
    ev.TournamentGo: hand_for_hand.on_go,
    ev.RaceStart: unseen.on_race_start,
    ev.TournamentField: places.on_field,
    ev.TournamentMoves: moves.on_moves,
    ev.SeatEntry: entries.on_entry,
    ev.SeatConduct: conduct.on_conduct,
    ev.TournamentPlaced: places.on_placed,
    ev.TournamentRace: moves.on_race,
}


@cache
def _standing() -> TypeAdapter[Standing]:
    """What reads and writes the state between two rounds, made at its first use: a tenth of a replay's start."""
    return TypeAdapter(Standing)


def get_ready_for_snapshots() -> None:
    """Make what the first snapshot and the first restoring need, for a host whose first round's end must not wait."""
    _standing()


class Table:
    """One table under the rulebooks it may open with."""

    def __init__(self, rulebooks: Mapping[str, Rulebook]) -> None:
        self._core = Core(rulebooks, Flow, Stages, carry_out, take_back)

    def apply(self, event: ev.Event) -> list[Output]:
        """Take one event and return its outputs in order.

        No event makes it raise, not even an impossible one.
        """
        core = self._core
        outputs: list[Output] = []
        core.outputs = outputs
        if core.found:  # hot path: mostly the event before has left none
            core.found = []
        if core.ruled:
            core.ruled = []
        core.boundary = False
        standing = core.standing
        if not standing.last_t <= event.t < math.inf:
            core.t = event.t
            core.emit(Refusal(event.ev, f"time runs backwards: {event.t} after {standing.last_t}"))
            return outputs
        try:
            self._take(core, event, outputs)
        except Exception as fault:  # noqa: BLE001 - it is reported, play goes on, it replays the same
            standing.last_t = event.t
            core.emit(Refusal(event.ev, f"{FAULT_OF_OURS} ({type(fault).__name__}): call the supervisor"))
            alarms.raise_alarm(core, AlarmKind.CONTROLLER_FAULT)
        return outputs

    def _take(self, core: Core, event: ev.Event, outputs: list[Output]) -> None:
        core.t = event.t
        core.taken = False
        clocks.pass_time(core)
        if core.found:
            core.judge()
        if core.ruled:
            core.ruled = []
        fallen_due = bool(outputs)
        try:
            _HANDLERS[type(event)](core, event)
            if core.found:
                core.judge()
        except Refused as refusal:
            core.found = []
            core.emit(Refusal(event.ev, str(refusal)))
            if not fallen_due:
                return
        core.standing.last_t = event.t
        if core.moved:
            core.moved = False
            doubts.judge_order(core)
        core.taken = True
        clocks.pass_time(core)
        if core.found:
            core.judge()
        if core.standing.pending and core.standing.open:
            stops.end_stops(core)
        indicators.show_changes(core)
        if core.boundary:
            core.keep_beginning()

    @property
    def at_round_boundary(self) -> bool:
        """Whether a snapshot may be taken: the last event left the table between two rounds."""
        return self._core.boundary

    @property
    def round_number(self) -> int:
        """Number of rounds begun since the record began."""
        return self._core.standing.round_number

    @property
    def rulebooks(self) -> Mapping[str, Rulebook]:
        """The rulebooks it may open with, by id."""
        return self._core.rulebooks

    @property
    def rulebook(self) -> Rulebook | None:
        """The open table's book."""
        return self._core.rulebook if self._core.standing.open else None

    def needs(self, device: str) -> bool:
        """Whether the open book needs this device, by its name, to start a round; False while the table is closed."""
        core = self._core
        return core.standing.open and questions.device_kind(device) in core.book.needs

    def zone_troubles(self, device: str) -> Mapping[str, str]:
        """Why zones of a reader are not read whole, by zone, as the table was told last."""
        return self._core.standing.zone_troubles.get(device, {})

    @property
    def phase(self) -> Phase:
        """The phase of the view, for who asks for nothing else of it: a view takes much longer to make."""
        return indicators.phase_of(self._core)

    @property
    def waiting(self) -> frozenset[int]:
        """Ids of the rulings that wait for a person."""
        return frozenset(pending.id for pending in self._core.standing.pending)

    @property
    def is_ruled(self) -> bool:
        """Whether a ruling is on the display: neither the end of the round nor a person has settled it."""
        return self._core.standing.is_ruled

    @property
    def overrulable(self) -> frozenset[int]:
        """Ids of rulings that a person may still overrule: pending ones and those of this round."""
        return self.waiting | self._core.round.rulings.given.keys()

    def refused_decisions(self) -> Mapping[tuple[Decision, int | None], str]:
        """The floor decisions that would be refused now, with the reason: by decision and, of an exclusion, by seat."""
        return decisions.why_not(self._core)

    @property
    def last_t(self) -> float:
        """Table seconds of the last event taken."""
        return self._core.standing.last_t

    def next_deadline(self) -> float | None:
        """The table second from which a `tick` can matter; None before another event.

        A host that sends a tick each second from then on misses no deadline, and records no tick that changes nothing.
        """
        return clocks.next_deadline(self._core, indicators.phase_of(self._core))

    def snapshot(self, *, counts: bool = True) -> str:
        """Return the state between two rounds as JSON.

        `counts`: with what readers counted of each pack over rounds. Who reads the counts of two snapshots knows the
        cards of the round between them, shown or not; without them the text depends on no card that nobody was shown.
        Raises TableError at any other time.
        """
        if not self._core.boundary:
            raise TableError("a snapshot is taken right after the event that ended a round (at_round_boundary)")
        return _standing().dump_json(self._core.standing, exclude=None if counts else _COUNTS).decode()

    @classmethod
    def restore(cls, rulebooks: Mapping[str, Rulebook], snapshot: str, *, counts_of: "Table | None" = None) -> "Table":
        """The table as it was when the snapshot was taken.

        `counts_of`: a table whose counts of each pack go on here. Left out, the snapshot's are taken; where it has
        none, cards are counted anew. Raises TableError if its rulebook is not among these, or if another version wrote
        it with fields that this one does not keep: the table would go on without them.
        """
        table = cls(rulebooks)
        core = table._core
        adapter = _standing()
        standing, kept = adapter.validate_json(snapshot), json.loads(snapshot)
        if not _is_kept(kept, adapter.dump_python(standing, mode="json")):
            raise TableError("the snapshot has a state that this version does not keep")
        core.resume(standing)
        if core.standing.open:
            if core.standing.rulebook not in rulebooks:
                raise TableError(f"the record was made under rulebook {core.standing.rulebook!r}, which is not here")
            seating.adopt_book(core)
            seating.take_over(core, kept["seats"])
        core.round.rulings.take_over(core.standing.carried_rulings)
        doubts.take_over(core)
        core.boundary = False
        if counts_of is not None:
            _copy_counts(core, counts_of._core)
        return table

    def digest(self, *, counts: bool = True) -> str:
        """SHA-256 of the whole state as hex, equal for two runs of the same events.

        `counts`: with what readers counted of each pack over rounds. Without it, and between two rounds, the digest
        depends on no card that nobody was shown.
        """
        core = self._core
        machine = core.rounds.state if core.rulebook is not None else None
        standing = _plain(core.standing)
        if not counts:
            for deck in standing["decks"].values():
                deck["seen"] = None
        data = [standing, _plain(core.round), machine]
        return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def view(self) -> TableView:
        """The public view of the table."""
        return view(self._core, indicators.phase_of(self._core))

    def denomination(self) -> Denomination | None:
        """The unit in which the open table counts its amounts; None while it is closed."""
        core = self._core
        if not core.standing.open:
            return None
        tournament = bool(core.options.tournament)
        return denomination_of(core.book.amounts, tournament=tournament, structure=clock.structure_of(core))

    def prompt(self) -> Prompt | None:
        """The dealer's next step; None where there is nothing to do."""
        return prompt(self._core)

    def cards_by_zone(self) -> dict[str, list[str | None]]:
        """Names of all cards by zone, face-down ones too; None for a card without a name.

        Only for readers of a round that is over.
        """
        tracker = self._core.round.tracker
        return {zone: tracker.names(zone) for zone, cards in sorted(tracker.zones.items()) if cards}

    def chips(self) -> dict[int, Chips]:
        """Chips that each player has put in, by seat in the order of the deal.

        For player-banked games, from the first betting round on.
        """
        return chips_by_seat(self._core)

    def order_of_hands(self) -> HandOrder:
        """The order by which hands are ranked here: the book's, with the options in force. Only while it is open."""
        return order_of_hands(self._core)

    def option(self, name: str) -> Any:
        """The value of an option; None where the open book does not take it."""
        return getattr(self._core.options, name, None)

    def indicators(self) -> list[Output]:
        """The outputs that set gate, lamps and display, for a device that has come back."""
        return indicators.all_now(self._core)


def _is_kept(before: Any, after: Any) -> bool:
    """Whether all of a JSON value stands in another, which may have further fields."""
    if isinstance(before, dict) and isinstance(after, dict):
        return all(name in after and _is_kept(value, after[name]) for name, value in before.items())
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_is_kept, before, after))
    return bool(before == after)


def _plain(value: Any) -> Any:
    """State as JSON-ready data, in an order that does not depend on its history."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, PROMPTS):  # by its JSON object, so that a change of the types changes no digest
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=str)
    if isinstance(value, list | tuple | deque):
        return [_plain(item) for item in value]
    if isinstance(value, FunctionType):  # the limit of the betting: by its name
        return value.__qualname__
    return value
