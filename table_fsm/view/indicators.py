"""Outputs of phase, prompt, gate and lamps, emitted only when they change."""

from table_fsm import outputs
from table_fsm.core.core import Core
from table_fsm.core.standing import Standing
from table_fsm.felt import Phase
from table_fsm.outputs import Display, Gate, Lamp, LampName, Output
from table_fsm.prompts.types import Prompt, Show
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.view.prompts import gate_locked, prompt

_STOP = Outcome.STOP_TABLE.value


def phase_of(core: Core) -> Phase:
    """The phase in force: "closed", "halted" by a stop, else the phase of the round."""
    if not core.standing.open:
        return "closed"
    for pending in core.standing.pending:
        if pending.outcome == _STOP and not core.of_other_pack(pending):
            return "halted"
    return core.rounds.phase


def _street_of(core: Core) -> str | None:
    return core.rounds.street if core.standing.open else None


def _lamps(standing: Standing, *, locked: bool) -> dict[str, bool]:
    """The lamps that are on.

    `play`: cards may be dealt. `attention`: a ruling, an unacknowledged alarm, or a hand that waits for its key.
    `stop`: the gate is shut.
    """
    return {"play": standing.open and not locked, "attention": _attention(standing), "stop": standing.open and locked}


def _attention(standing: Standing) -> bool:
    return standing.is_ruled or bool(_to_key(standing.shown_prompt)) or _is_alarmed(standing)


def _is_alarmed(standing: Standing) -> bool:
    return any(standing.is_due(alarm) for alarm in standing.alarms)


def _to_key(asked: Prompt | None) -> tuple[int, ...]:
    """The seats whose hands the dealer keys once they lie open, because no reader sees it."""
    return asked.seats if isinstance(asked, Show) and asked.by_key else ()


def _notice(standing: Standing) -> Display:
    """What the display says where no ruling is on it: the hands to be keyed, else what the floor told."""
    seats = ", ".join(map(str, _to_key(standing.shown_prompt)))
    said = f"Hands to show: {seats}. Press the key for each that lies open." if seats else ""
    return Display(said or standing.tournament.notice)


def show_changes(core: Core) -> None:
    """Emit phase, prompt, gate and lamps that have changed since they were emitted last."""
    # Hot path, after every event: what is asked in several places is asked once, and small questions are written out.
    standing = core.standing
    pending, is_open = standing.pending, standing.open
    ruled = standing.attention or bool(pending)
    settled, core.ruling_shown = core.ruling_shown and not ruled, ruled
    if pending or not is_open or core.rounds.state != standing.shown_phase:
        phase, street = phase_of(core), _street_of(core)
        phase_name = f"{phase}.{street}" if street else phase
        if phase_name != standing.shown_phase:
            standing.shown_phase = phase_name
            core.emit(outputs.Phase(phase, street))
    todo, asked = prompt(core), standing.shown_prompt
    to_key = bool(_to_key(todo)) if isinstance(todo, Show) else False
    attention = ruled or to_key or (bool(standing.alarms) and _is_alarmed(standing))
    # Two kinds of prompt differ: to compare them asks both of them in vain.
    if todo is not asked and (type(todo) is not type(asked) or todo != asked):
        standing.shown_prompt = todo
        if todo is not None:
            core.emit(todo)
        if not pending and (to_key or (attention and _to_key(asked))):
            core.emit(_notice(standing))
            settled = False
    if settled and to_key:
        core.emit(_notice(standing))  # the lamp stays on for the hands: no change of it takes the ruling away
    locked, shown = gate_locked(core), standing.shown_lamps
    if locked is not standing.shown_lock:
        standing.shown_lock = locked
        core.emit(Gate(locked))
    elif shown and is_open is (shown["play"] or shown["stop"]) and attention is shown["attention"]:
        return  # the lamps follow from these three, and none has changed
    for name, on in _lamps(standing, locked=locked).items():
        if shown.get(name) is not on:
            shown[name] = on
            core.emit(Lamp(LampName(name), on))
            if name == "attention" and not on:
                core.emit(_notice(standing))


def all_now(core: Core) -> list[Output]:
    """The outputs that set gate, lamps and display as they should be now."""
    t = core.standing.last_t
    locked = gate_locked(core)
    lamps = _lamps(core.standing, locked=locked)
    outputs = [Output(t, Gate(locked))]
    outputs += [Output(t, Lamp(LampName(name), on)) for name, on in lamps.items()]
    pending = core.standing.pending
    shown = Display(pending[-1].text, pending[-1].rule) if pending else _notice(core.standing)
    return [*outputs, Output(t, shown)]
