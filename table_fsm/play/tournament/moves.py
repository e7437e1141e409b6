"""What the floor tells the dealer, on the display: who comes, leaves, sits out or is away, and a chip race."""

from table_fsm.core.core import Core
from table_fsm.core.tournament_state import OrderedRace
from table_fsm.errors import Refused
from table_fsm.events import TournamentMoves, TournamentRace
from table_fsm.felt import AmountUnit
from table_fsm.outputs import Display
from table_fsm.play.tournament import clock
from table_fsm.rulebook.denomination import denomination_of


def on_moves(core: Core, event: TournamentMoves) -> None:
    """Say who comes and goes; a ruling that waits stays on the display until it is settled. Raises Refused."""
    clock.needs_tournament(core, event.ev)
    most = core.options.seats_max or core.book.seats.most
    for seat in (*event.comes, *event.goes, *(() if event.waits is None else (event.waits,))):
        if not 1 <= seat <= most:
            raise Refused(f"tournament.moves: there is no seat {seat}: 1 to {most}")
    for seat in event.goes:
        if seat not in core.standing.seats:
            raise Refused(f"tournament.moves: seat {seat} has no player who could leave")
    core.standing.tournament.moves = _notice(event)
    say(core)


def on_race(core: Core, event: TournamentRace) -> None:
    """Say that the floor has ordered a chip race, or that it has none any more. Raises Refused."""
    clock.needs_tournament(core, event.ev)
    record = core.standing.tournament
    if event.chip is None and event.new_chip is None:
        record.ordered = None
    elif event.chip is None or event.new_chip is None or not 0 < event.chip < event.new_chip:
        raise Refused(
            f"tournament.race: chips of {event.chip} for chips of {event.new_chip}: the new one is worth more"
        )
    elif core.book.tournament.race is None:
        raise Refused(f"tournament.race has no meaning under {core.standing.rulebook}: it races no chips")
    else:
        record.ordered = OrderedRace(event.chip, event.new_chip)
    say(core)


def raced(core: Core, chip: int) -> None:
    """A race of this chip is decided: it is not to be raced any more."""
    record = core.standing.tournament
    if record.ordered is not None and record.ordered.chip == chip:
        record.ordered = None
        say(core)


def say(core: Core) -> None:
    """Say on the display what the floor told, where that has changed."""
    record = core.standing.tournament
    notice = " ".join([text for text in (record.moves, _race(core), _carried(core)) if text])
    if notice == record.notice:
        return
    record.notice = notice
    if not core.standing.pending:
        core.emit(Display(notice))


def _race(core: Core) -> str:
    ordered = core.standing.tournament.ordered
    if ordered is None:
        return ""
    return (
        f"Race chips of {_amount(core, ordered.chip)} for chips of {_amount(core, ordered.new_chip)} "
        "before the next hand."
    )


def _carried(core: Core) -> str:
    """Who sits out a penalty, or is away, of those of whom the floor has told it."""
    ordered = [seat for seat, one in core.standing.seats.items() if one.entry is not None and one.entry.order]
    unit = "rounds of the button" if core.book.tournament.penalties == "button_rounds" else "hands"
    told = []
    for seat in sorted(ordered):
        one = core.standing.seats[seat]
        if one.penalty is not None:
            told.append(f"Seat {seat} sits out {one.penalty.left} {unit}.")
        elif one.away_since is not None:
            told.append(f"Seat {seat} is away.")
    return " ".join(told)


def _amount(core: Core, cents: int) -> str:
    unit = denomination_of(core.book.amounts, tournament=True, structure=clock.structure_of(core)).unit
    return str(cents) if unit is AmountUnit.POINTS else f"{cents / 100:g}"


def _notice(event: TournamentMoves) -> str:
    told = [f"Seat {seat} leaves after this round." for seat in sorted(set(event.goes))]
    told += [f"A player comes to seat {seat}." for seat in sorted(set(event.comes))]
    if event.waits is not None:
        told.append(f"Begin no hand before seat {event.waits} has a player.")
    return " ".join(told)
