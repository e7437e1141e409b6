"""Drop box, float and commission: what is due, what was taken, and whether the box is safe."""

from collections.abc import Callable

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import DropboxChip, DropboxState, FloatColourChange, FloatCommission, Pot
from table_fsm.outputs import Commission
from table_fsm.poker import commission
from table_fsm.poker.commission import Scale, commission_due
from table_fsm.rulebook.irregularities import Irregularity


def _scale(core: Core) -> str | None:
    """The scale in force; None where the table has not been told one: then nothing is judged."""
    if core.options.tournament:
        return "none"
    if rakes_pots(core):
        return "rake"
    scale = core.options.commission
    return scale if isinstance(scale, str) else None


def on_pot(core: Core, event: Pot) -> None:
    """The dealer counted a pot: the commission on it is due."""
    core.need_open()
    book = core.book
    if event.cents < 0 or event.pot < 1:
        raise Refused("pot: cents 0 or more, pots are numbered from 1")
    if core.collecting():
        return
    if core.in_round:
        core.round.showdown.pots[event.pot] = event.cents
    if not book.box.used or _scale(core) is None:
        return
    ledger = core.standing.ledger
    others = sum(due for pot, due in ledger.due.items() if pot != event.pot)
    ledger.due[event.pot] = due_on(core, event.cents, others) if _scale(core) != "none" else 0
    core.emit(Commission(ledger.due[event.pot], ledger.taken, event.pot))
    _judge_excess(core)


def on_dropbox_chip(core: Core, event: DropboxChip) -> None:
    """A chip went through the slot."""
    core.need_open()
    if event.cents <= 0:
        raise Refused("dropbox.chip: cents above 0")
    ledger = core.standing.ledger
    if core.options.commission_handling == "float":
        ledger.dropped_change += event.cents
        if ledger.dropped_change > ledger.to_drop:
            _mismatch(core)
        elif ledger.dropped_change == ledger.to_drop:
            ledger.dropped_change = ledger.to_drop = 0
        return
    ledger.taken += event.cents
    _judge_excess(core)


def on_float_commission(core: Core, event: FloatCommission) -> None:
    """Chips were laid in the commission area of the float."""
    core.need_open()
    if event.cents <= 0:
        raise Refused("float.commission: cents above 0")
    if core.options.commission_handling != "float":
        _mismatch(core)  # the method is fixed from opening to closing
        return
    core.standing.ledger.taken += event.cents
    _judge_excess(core)


def on_colour_change(core: Core, event: FloatColourChange) -> None:
    """Commission chips were changed up: witnessed, and then the box must take that amount."""
    rules = core.book.box
    if event.cents <= 0:
        raise Refused("float.colour_change: cents above 0")
    ledger = core.standing.ledger
    ledger.to_drop += event.cents
    seen = [core.standing.badges[role] for role in rules.witness_roles if role in core.standing.badges]
    if not seen or core.t - max(seen) > rules.witness_seconds:
        core.rule(Irregularity.COLOUR_CHANGE_UNWITNESSED)


def _judge_excess(core: Core) -> None:
    """More taken than is due shows at once, where it can be known: the pots are counted, or nothing is ever due."""
    ledger = core.standing.ledger
    scale = _scale(core)
    if scale is None or (scale != "none" and not ledger.due and not nothing_due(core)):
        return
    if ledger.taken > sum(ledger.due.values()):
        _mismatch(core)


def _mismatch(core: Core) -> None:
    ledger = core.standing.ledger
    if ledger.ruled:
        return
    if core.rule(Irregularity.COMMISSION_MISMATCH, beside_others=True) is not None:
        ledger.ruled = True


def judge_round(core: Core) -> None:
    """At the next deal's start, or as the table closes: what was taken must be what was due."""
    ledger = core.standing.ledger
    if ledger.dropped_change != ledger.to_drop:
        _mismatch(core)
    known = bool(ledger.due) or nothing_due(core)
    if _scale(core) is not None and known and ledger.taken != sum(ledger.due.values()):
        _mismatch(core)


def new_round(core: Core) -> None:
    """The account of the round before is closed."""
    ledger = core.standing.ledger
    ledger.due.clear()
    ledger.taken = ledger.to_drop = ledger.dropped_change = 0
    ledger.ruled = False


def on_dropbox_state(core: Core, event: DropboxState) -> None:
    """The box, present and locked or not. Before the table opens it is only noted."""
    standing = core.standing
    standing.box_present, standing.box_locked = event.present, event.locked
    if standing.open:
        judge_box(core)


def box_safe(core: Core) -> bool:
    """Whether the box is in place and locked, where the book has one."""
    standing = core.standing
    return (standing.box_present and standing.box_locked) or not core.book.box.used


def judge_box(core: Core) -> None:
    """A missing or unlocked box stops the table."""
    if not box_safe(core) and not core.has_pending(Irregularity.DROPBOX_UNSAFE):
        core.rule(Irregularity.DROPBOX_UNSAFE)


def due_on(core: Core, cents: int, taken: int = 0) -> int:
    """The commission on a pot by the scale in force; nothing where none is. `taken`: from the hand's other pots."""
    if rakes_pots(core):
        return rake_on(core, cents, taken)
    scale = core.options.commission
    return commission_due(Scale(scale), cents) if isinstance(scale, str) else 0


_FLOP = 3


def rakes_pots(core: Core) -> bool:
    """Whether the open table rakes its pots."""
    return core.options.rake_percent is not None


def rake_on(core: Core, cents: int, taken: int) -> int:
    """What is due on a pot of the round in progress, or of the last one."""
    seen = core.round.board.shown >= _FLOP if core.in_round else core.standing.ledger.flop_seen
    if not seen:
        return 0
    percent = core.options.rake_percent
    assert percent is not None
    return commission.rake_due(cents, percent, core.options.rake_cap, taken)


def nothing_due(core: Core) -> bool:
    """Whether the hand is decided, or over, without a flop: then nothing is due, whatever was in its pots."""
    if not rakes_pots(core):
        return False
    if core.in_round:
        return core.round.showdown.decided and core.round.board.shown < _FLOP
    return core.standing.played > 0 and not core.standing.ledger.flop_seen


def note_flop(core: Core) -> None:
    """The round is over: whether there was a flop, for pots that are counted only now."""
    core.standing.ledger.flop_seen = core.round.board.shown >= _FLOP


def pot_by_pot(due: Callable[[int, int], int]) -> Callable[[int], int]:
    """What is due on each pot of a hand in turn, of which one cap is filled. `due`: of (cents, taken before)."""
    taken = 0

    def of_next(cents: int) -> int:
        nonlocal taken
        part = due(cents, taken)
        taken += part
        return part

    return of_next
