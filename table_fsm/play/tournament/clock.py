"""The tournament's clock and levels at the table: the level of the next deal and its change.

The level is settled when a deal begins, by the book's sign (`TournamentRules.level_from`), and holds until the next one
begins. Sources: The Star 7.20; ACT 2001, 3.4 of each appendix; Onyx, Blinds & Big Blind Ante System and Hand for Hand.
"""

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from table_fsm import outputs
from table_fsm.core.core import Core
from table_fsm.core.tournament_state import TournamentRecord
from table_fsm.errors import Refused
from table_fsm.events import TournamentClock
from table_fsm.play.tournament import absences
from table_fsm.structures.levels import LevelNow, level_at, race_offs_due
from table_fsm.structures.structure import Structure

Sign: TypeAlias = Literal["shuffle", "cut", "post", "card"]
"""A sign that a deal begins. `card`: the first card, or the dealer's announcement of the deal."""

_BEGINS: Final[Mapping[str, frozenset[Sign]]] = MappingProxyType(
    {
        "cut": frozenset({"cut", "card"}),
        "cut_or_post": frozenset({"cut", "post", "card"}),
        "shuffle": frozenset({"shuffle", "post", "card"}),
    }
)


def needs_tournament(core: Core, event: str) -> None:
    """Raise Refused where no tournament is played."""
    core.need_open()
    if not core.options.tournament:
        raise Refused(f"{event}: no tournament is played here; open the table with the option tournament")


def structure_of(core: Core) -> Structure | None:
    """The blind structure in force.

    None where the table was opened with amounts of its own, or the book has none.
    """
    return core.structure


def reading(core: Core) -> LevelNow | None:
    """The level that a deal beginning now would have; None without a structure."""
    structure = structure_of(core)
    if structure is None:
        return None
    record = core.standing.tournament
    if record.hand_for_hand and core.book.tournament.hand_for_hand == "charged":
        return level_at(structure, record.elapsed + _charged(core))
    if not record.running:
        return level_at(structure, record.elapsed)
    gone = core.t - record.since
    if record.stops_at is not None:
        gone = min(gone, max(0.0, record.stops_at - record.elapsed))
    return level_at(structure, record.elapsed, running_for=gone)


def elapsed(core: Core) -> float:
    """Seconds of play so far; needs no structure."""
    now = reading(core)
    if now is not None:
        return now.elapsed_seconds
    record = core.standing.tournament
    return record.elapsed + (core.t - record.since if record.running else 0.0)


def _charged(core: Core) -> float:
    """Seconds that the hand in progress has cost of the clock so far."""
    began = core.standing.tournament.hand_since
    return 0.0 if began is None else min(core.t - began, float(core.book.tournament.hand_seconds))


def race_offs(core: Core) -> tuple[int, ...]:
    """Values in cents of chips that must be raced off before the next deal."""
    structure, record = structure_of(core), core.standing.tournament
    if structure is None or not record.dealt_level:
        return ()
    return tuple(chip for chip in race_offs_due(structure, record.dealt_level, record.said) if chip not in record.raced)


def level_of_deal(core: Core) -> int | None:
    """The level number of the deal in hand; before one has begun, of the next one."""
    record = core.standing.tournament
    if structure_of(core) is None:
        return None
    return record.deal_level if record.deal_level is not None else record.said or 1


def opened(core: Core) -> None:
    """Start with the first level, as the table opens, until the director's clock sets another."""
    core.standing.tournament = TournamentRecord(since=core.t)
    clock_moved(core)


def on_clock(core: Core, event: TournamentClock) -> None:
    """Take the director's clock: whether it runs, and the seconds of play."""
    needs_tournament(core, event.ev)
    if not (isfinite(event.elapsed) and event.elapsed >= 0):
        raise Refused(f"tournament.clock: elapsed {event.elapsed}: seconds of play, 0 or more")
    record = core.standing.tournament
    record.elapsed = float(event.elapsed)
    if record.hand_since is not None and (core.in_round or record.hand_dealt):
        record.elapsed = max(0.0, event.elapsed - _charged(core))  # the rest of this hand's charge is still to count
    elif record.hand_since is not None:
        record.hand_since = core.t  # a hand that is not dealt yet costs its whole time from here on
    record.since, record.running = core.t, event.running
    if record.stops_at is not None:
        record.stops_at = None
        _stop_at_level_end(core)
    clock_moved(core)


def clock_moved(core: Core) -> None:
    """Announce the level of the next deal if it has changed, and note when it ends."""
    record = core.standing.tournament
    now = reading(core)
    if now is None:
        return
    record.changes_at = _over_at(core, now)
    if now.level.number == record.said:
        return
    absences.level_over(core, record.said, now.level.number)
    record.said = now.level.number
    due = race_offs(core)
    level, left = now.level, round(now.left_seconds, 3)
    core.emit(outputs.Level(level.number, level.blinds, level.ante, left, due[0] if due else None))


def _over_at(core: Core, now: LevelNow) -> float | None:
    """The table second at which the announced level ends.

    None while the clock is paused, or where no level follows.
    """
    record, rules = core.standing.tournament, core.book.tournament
    if now.next is None:
        return None
    if record.hand_for_hand and rules.hand_for_hand == "charged":
        began = record.hand_since
        if began is None or now.left_seconds > rules.hand_seconds - _charged(core):
            return None
        return core.t + now.left_seconds
    standing_still = record.stops_at is not None and now.elapsed_seconds >= record.stops_at
    if not record.running or standing_still:
        return None
    return core.t + (now.break_left_seconds or 0.0) + now.left_seconds


def pass_time(core: Core) -> None:
    """Change the level if it is over by now: at 40 minutes, of 0-40 and 40-80, the second holds."""
    changes_at = core.standing.tournament.changes_at
    if changes_at is not None and core.t >= changes_at:
        clock_moved(core)


def in_break(core: Core) -> bool:
    """Whether a deal that begins now falls into a break of the schedule.

    Not one that began before the break, and not while the clock is paused: the break is then the director's to end.
    """
    now, deal_level = reading(core), core.standing.tournament.deal_level
    if now is None or not now.break_left_seconds:
        return False
    return deal_level is None or deal_level == now.level.number


# -- hand for hand: the clock


def hand_for_hand_begins(core: Core) -> None:
    """Begin hand for hand: each hand is charged, or the clock runs to the end of its level."""
    _settle(core)
    core.standing.tournament.hand_for_hand = True
    if core.book.tournament.hand_for_hand == "running":
        _stop_at_level_end(core)
    clock_moved(core)


def hand_for_hand_ends(core: Core) -> None:
    """End hand for hand: the clock goes on from where it is, if it was running."""
    _settle(core)
    record = core.standing.tournament
    record.hand_for_hand, record.hand_since, record.stops_at = False, None, None
    record.hand_dealt = False
    clock_moved(core)


def _settle(core: Core) -> None:
    """Store the seconds of play so far as the clock's own figure."""
    record = core.standing.tournament
    record.elapsed = elapsed(core)
    record.since = core.t


def _stop_at_level_end(core: Core) -> None:
    now = reading(core)
    if now is not None:
        core.standing.tournament.stops_at = now.elapsed_seconds + now.left_seconds


def hand_released(core: Core) -> None:
    """Let the clock run on with the next hand, where it stands at the end of a level (Onyx, Hand for Hand 6)."""
    record = core.standing.tournament
    if record.stops_at is None or elapsed(core) < record.stops_at:
        return
    _settle(core)
    record.stops_at = None
    _stop_at_level_end(core)
    clock_moved(core)


# -- the deal


def deal_begins(core: Core, sign: Sign) -> None:
    """Settle the level of a deal if the sign is one by which the book begins a deal."""
    record, rules = core.standing.tournament, core.book.tournament
    if core.in_round or sign not in _BEGINS[rules.level_from]:
        return
    charged = record.hand_for_hand and rules.hand_for_hand == "charged"
    if charged and record.hand_since is None:
        record.hand_since = core.t
        clock_moved(core)
    if record.deal_level is None and structure_of(core) is not None:
        record.deal_level = record.said


def shuffled(core: Core) -> None:
    """Take the shuffle of the next round's pack.

    With nothing posted yet, a deal that had begun begins anew.
    """
    if not core.round.forced.posts and not core.round.forced.antes:
        core.standing.tournament.deal_level = None
    core.round.tournament.forget_race()  # shuffled again in a race: cards seen before may come again
    deal_begins(core, "shuffle")


def deal_over(core: Core, *, counts: bool) -> None:
    """End the deal's level with its round.

    A round that does not count, and in which blinds stay posted, is dealt again at its level.
    """
    record = core.standing.tournament
    if not counts:
        record.hand_dealt = record.hand_since is not None
        if not core.standing.carried_posts and not core.standing.carried_antes:
            record.deal_level = None
        return
    if record.deal_level is not None:
        record.dealt_level = record.deal_level
    record.deal_level = None
    if record.hand_since is not None:
        record.elapsed += core.book.tournament.hand_seconds
        record.hand_since, record.hand_dealt = None, False
    clock_moved(core)
