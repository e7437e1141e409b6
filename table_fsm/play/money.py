"""Drop box, float and commission: the amounts due and taken, and the safety of the box."""

from collections.abc import Callable

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import DropboxChip, DropboxState, FloatColourChange, FloatCommission, Pot
from table_fsm.outputs import Commission
from table_fsm.poker import commission
from table_fsm.poker.commission import commission_due
from table_fsm.rulebook.irregularities import Irregularity


def _scale(core: Core) -> str | None:
    """The commission scale in force; None where the table was not given one.

    Nothing is judged without a scale.
    """
    if core.options.tournament:
        return "none"
    if rakes_pots(core):
        return "rake"
    scale = core.options.commission
    return scale if isinstance(scale, str) else None


def on_pot(core: Core, event: Pot) -> None:
    """Take a counted pot: the commission on it is due."""
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
    """Take a chip that went through the slot."""
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
    """Take chips laid in the commission area of the float."""
    core.need_open()
    if event.cents <= 0:
        raise Refused("float.commission: cents above 0")
    if core.options.commission_handling != "float":
        _mismatch(core)  # the method is fixed from opening to closing
        return
    ledger = core.standing.ledger
    ledger.taken += event.cents
    ledger.laid_aside += event.cents
    _judge_excess(core)


def on_colour_change(core: Core, event: FloatColourChange) -> None:
    """Take a colour change of commission chips.

    It must be witnessed, of chips that were laid aside, and the box must then take that amount.
    """
    rules = core.book.box
    if event.cents <= 0:
        raise Refused("float.colour_change: cents above 0")
    ledger = core.standing.ledger
    ledger.to_drop += event.cents
    seen = [core.standing.badges[role] for role in rules.witness_roles if role in core.standing.badges]
    if not seen or core.t - max(seen) > rules.witness_seconds:
        core.find(Irregularity.COLOUR_CHANGE_UNWITNESSED)
    if event.cents > ledger.laid_aside:
        _mismatch(core)
    ledger.laid_aside = max(0, ledger.laid_aside - event.cents)


def _judge_excess(core: Core) -> None:
    """Rule on more taken than is due, as soon as that can be known.

    It can when the pots are counted, or nothing is ever due.
    """
    ledger = core.standing.ledger
    scale = _scale(core)
    if scale is None or (scale != "none" and not ledger.due and not nothing_due(core)):
        return
    if ledger.taken > sum(ledger.due.values()):
        _mismatch(core)


def _mismatch(core: Core) -> None:
    """Rule on a mismatch, once a round; again on more that is taken after a person has settled the first."""
    ledger = core.standing.ledger
    more, ledger.ruled_at = ledger.taken > ledger.ruled_at, ledger.taken
    if ledger.ruled and (not more or core.has_pending(Irregularity.COMMISSION_MISMATCH)):
        return
    core.rule(Irregularity.COMMISSION_MISMATCH)  # at once: the next round has an account of its own
    ledger.ruled = True


def judge_round(core: Core) -> None:
    """Rule on a difference between the commission taken and due.

    Judged at the next deal's start, or as the table closes.
    """
    ledger = core.standing.ledger
    if ledger.dropped_change != ledger.to_drop:
        _mismatch(core)
    known = bool(ledger.due) or nothing_due(core)
    if _scale(core) is not None and known and ledger.taken != sum(ledger.due.values()):
        _mismatch(core)


def new_round(core: Core) -> None:
    """Clear the account of the round before."""
    ledger = core.standing.ledger
    ledger.due.clear()
    ledger.taken = ledger.to_drop = ledger.dropped_change = ledger.ruled_at = 0
    ledger.ruled = ledger.no_result = False


def round_ended(core: Core) -> None:
    """Note that the round in progress ends as a misdeal or void: it has no pot from which commission is taken."""
    if core.in_round:
        core.standing.ledger.no_result = True


def on_dropbox_state(core: Core, event: DropboxState) -> None:
    """Record whether the box is present and locked.

    Before the table opens nothing is judged.
    """
    standing = core.standing
    standing.box_present, standing.box_locked = event.present, event.locked
    if standing.open:
        judge_box(core)


def box_safe(core: Core) -> bool:
    """Whether the box is in place and locked, where the book has one."""
    standing = core.standing
    return (standing.box_present and standing.box_locked) or not core.book.box.used


def judge_box(core: Core) -> None:
    """Rule on a missing or unlocked box, which stops the table."""
    if not box_safe(core) and not core.has_pending(Irregularity.DROPBOX_UNSAFE):
        core.find(Irregularity.DROPBOX_UNSAFE)


def due_on(core: Core, cents: int, taken: int = 0) -> int:
    """The commission on a pot in cents by the scale in force; 0 without a scale.

    `taken`: cents taken from the hand's other pots.
    """
    if rakes_pots(core):
        return rake_on(core, cents, taken)
    scale = core.options.commission
    return commission_due(scale, cents) if isinstance(scale, str) else 0


_FLOP = 3


def rakes_pots(core: Core) -> bool:
    """Whether the open table rakes its pots."""
    return core.options.rake_percent is not None


def rake_on(core: Core, cents: int, taken: int) -> int:
    """The rake in cents due on a pot of the round in progress, or of the last one.

    `taken`: cents taken from the hand's other pots.
    """
    seen = core.round.board.shown >= _FLOP if core.in_round else core.standing.ledger.flop_seen
    if not seen:
        return 0
    percent = core.options.rake_percent
    assert percent is not None
    return commission.rake_due(cents, percent, core.options.rake_cap, taken)


def nothing_due(core: Core) -> bool:
    """Whether nothing is due: a misdeal or a void round, or a raked hand decided, or ended, without a flop."""
    if core.standing.ledger.no_result:
        return True
    if not rakes_pots(core):
        return False
    if core.in_round:
        return core.round.showdown.decided and core.round.board.shown < _FLOP
    return core.standing.played > 0 and not core.standing.ledger.flop_seen


def note_flop(core: Core) -> None:
    """Record whether the round had a flop, for pots that are counted after it."""
    core.standing.ledger.flop_seen = core.round.board.shown >= _FLOP


def pot_by_pot(due: Callable[[int, int], int]) -> Callable[[int], int]:
    """Return a function that gives the amount due on each pot of a hand in turn.

    One cap holds for all pots. `due`: function of (cents of the pot, cents taken before).
    """
    taken = 0

    def of_next(cents: int) -> int:
        nonlocal taken
        part = due(cents, taken)
        taken += part
        return part

    return of_next
