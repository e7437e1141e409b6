"""The public view of the table: public cards only, face-down ones as a count or a back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, get_args

from table_fsm.core.core import Core
from table_fsm.core.questions import faces_unseen, zones_of
from table_fsm.core.standing import AlarmRecord
from table_fsm.felt import BOARD, BOARD2, SEAT_ZONE, Phase
from table_fsm.play.button.button import expected_button
from table_fsm.view.prompts import gate_locked, prompt
from table_fsm.view.shapes import AlarmView, BuiltWithLess, CardSeen, SeatState, SeatView, TableView
from table_fsm.view.tournament_view import tournament_view

_LESS: Final[Mapping[str | None, BuiltWithLess]] = MappingProxyType({built: built for built in get_args(BuiltWithLess)})


def view(core: Core, phase: Phase) -> TableView:
    """Return the public view of the table.

    `phase`: the one in force, which may overlay the round's own.
    """
    standing = core.standing
    tracker = core.round.tracker
    betting = core.round.betting
    clock = core.round.clock
    house = standing.open and core.book.banked == "house"
    todo = prompt(core)
    seen: TableView = {
        "open": standing.open,
        "rulebook": standing.rulebook or None,
        "phase": phase,
        "street": core.rounds.street if standing.open else None,
        "round": standing.round_number,
        "banked": core.book.banked if standing.open else None,
        "seats": [_seat(core, seat) for seat in sorted(standing.seats)],
        "dealer": {"cards": tracker.holds("dealer"), "tabled": tracker.shown("dealer")} if house else None,
        "board": [_place(core, zone) for zone in BOARD],
        "board2": [_place(core, zone) for zone in BOARD2] if core.round.second_board is not None else None,
        "burn": tracker.holds("burn"),
        "muck": tracker.holds("muck"),
        "deck": core.round.deck or standing.last_shuffled,
        "button": expected_button(core) if standing.open and core.book.button.used else None,
        "posts": {str(seat): cents for seat, cents in sorted(core.round.forced.posts.items())},
        "gate": "locked" if gate_locked(core) else "open",
        "dropbox": {"present": standing.box_present, "locked": standing.box_locked} if _has_box(core) else None,
        "prompt": todo.to_json() if todo is not None else None,
        "to_act": betting.to_act() if betting is not None else None,
        "clock": {"seat": clock.seat, "until": clock.deadline} if clock.seat is not None else None,
        "tournament": tournament_view(core) if standing.open and core.options.tournament else None,
        "pending": [
            {
                "id": p.id,
                "irregularity": p.irregularity,
                "outcome": p.outcome,
                "rule": p.rule,
                "text": p.text,
                "seat": p.seat,
                "deck": p.deck,
            }
            for p in standing.pending
        ],
        "alarms": [_alarm(core, alarm) for alarm in standing.alarms],
        "shelves": [
            {"kind": s.kind, "device": s.device, "seat": s.seat, "until": s.until, "by": s.staff}
            for s in standing.shelves
        ],
        "faults": [
            {"kind": f.kind, "deck": f.deck, "present": f.present, "acknowledged": f.acknowledged}
            for f in standing.faults
        ],
    }
    if standing.open and (built := _LESS.get(core.options.built)) is not None:
        seen["built"] = built
    if standing.open and faces_unseen(core):
        seen["faces"] = False
    return seen


def _alarm(core: Core, alarm: AlarmRecord) -> AlarmView:
    seen: AlarmView = {
        "kind": alarm.kind,
        "deck": alarm.deck,
        "device": alarm.device,
        "seat": alarm.seat,
        "since": alarm.since,
        "last_heard": alarm.last_heard,
        "acknowledged": alarm.acknowledged,
        "escalated": alarm.escalated,
        "over": alarm.over,
        "shelved": core.standing.shelf_of(alarm) is not None,
    }
    if core.standing.zone_troubles and (zones := zones_of(core, alarm)):
        seen["zones"] = zones
    return seen


def _has_box(core: Core) -> bool:
    return core.standing.open and core.book.box.used


def _seat(core: Core, seat: int) -> SeatView:
    record = core.standing.seats[seat]
    tracker = core.round.tracker
    betting = core.round.betting
    box = core.round.house.boxes.get(seat)
    folded = box.folded if box is not None else bool(betting and seat in betting.players and not betting.is_live(seat))
    state: SeatState = "leaving" if record.leaving else "away" if record.away_since is not None else "in"
    shown = tracker.shown(SEAT_ZONE[seat])
    return {
        "seat": seat,
        "state": "waiting" if record.newcomer and state == "in" else state,
        "cards": tracker.holds(SEAT_ZONE[seat]),
        "drew": core.round.draw.announced(seat) if core.round.draw is not None else None,
        "folded": folded,
        "tabled": shown or None,
        "penalty": record.penalty.left if record.penalty is not None else None,
        "wagers": {"ante": box.ante, "blind": box.blind, "trips": box.trips, "play": box.play} if box else None,
    }


def _place(core: Core, zone: str) -> CardSeen:
    shown = core.round.tracker.shown(zone)
    if shown:
        return shown[0]
    return "back" if core.round.tracker.holds(zone) else None
