"""The table's state as the page and the API show it: JSON-ready, with words for people."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from feltd.door import BroadcastFacts, DeviceState, ShownRuling, SignatureFacts, TableState
from feltd.door.together import StepFacts
from feltd.installed.upgrade import Upgrade
from feltd.page.api.amounts import amounts_as_json
from feltd.page.api.band import band_of, beside
from feltd.page.api.offers import after_decision, not_yet
from feltd.page.api.signature_models import detail_in_words
from feltd.text.alarm_rulings import Raised, Waits, rulings_by_alarm
from feltd.text.alarms import ALARMS, AlarmRow, Condition, row_of, row_text
from feltd.text.catalogue import device_fault, refusal, ruling_text, say, word
from feltd.text.language import Language, spoken
from feltd.text.prompt_words import prompt_in_words
from feltd.text.rule_address import row_address
from feltd.text.stops import order_in_words
from feltd.text.words import alarm_in_words, begin_sentence, phase_in_words, words_of
from table_fsm.felt import SHELVABLE, Blind, Built
from table_fsm.prompts.reading import prompt_from_dict
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.view.shapes import AlarmView

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def state_as_json(state: TableState) -> dict[str, Any]:
    """The body of `GET /api/v1/state`."""
    view = state.view
    return {
        "name": state.name,
        "rulebook": None if state.rulebook is None else _flat(state.rulebook),
        "t": round(state.t, 1),
        "wall": round(state.wall, 1),
        "stopped": _stopped(state),
        "phase": phase_in_words(view["phase"], view["street"]),
        "prompt": _prompt(state),
        "built": words_of(Built, view["built"]) if "built" in view else None,
        "faces": words_of(Blind, Blind.FACES) if "faces" in view else None,
        "band": _flat(band_of(state)),
        "amounts": amounts_as_json(state.amounts),
        "table": view,
        "rulings": [_ruling(state, shown) for shown in state.rulings],
        "refused": [{**_flat(refused), "why": refusal(refused.why)} for refused in state.refused],
        "alarms": _alarms(state),
        "shelves": [{**shelf, "text": alarm_in_words({**shelf, "deck": None})} for shelf in view["shelves"]],
        "devices": [_device(device) for device in state.devices],
        "faults": [{**_flat(fault), "text": device_fault(fault.text)} for fault in state.faults],
        "signatures": [_signature(signature) for signature in state.signatures],
        "test": None if state.test is None else _flat(state.test),
        "journal": _flat(state.journal),
        "loop": _flat(state.loop),
        "testing": state.testing,
        "steps": [_step(step) for step in state.steps],
        "broadcast": None if state.broadcast is None else _broadcast(state.broadcast),
        "upgrade": None if state.upgrade is None else _upgrade(state.upgrade),
    }


def _stopped(state: TableState) -> str | None:
    if state.stopped is not None:
        return refusal(state.stopped)
    return word(Condition.RECORD_PUT_BACK) if state.put_back else None


def _prompt(state: TableState) -> str:
    """The dealer's next step in the language that is spoken; while play is stopped its cause and remedy.

    English is the table's own wording.
    """
    if held := order_in_words(state.view, beside(state)):
        return held
    prompt = state.view["prompt"]
    if spoken() is Language.ENGLISH or prompt is None:
        return state.prompt
    return prompt_in_words(prompt_from_dict(prompt), state.amounts)


def _flat(facts: "DataclassInstance") -> dict[str, Any]:
    """The fields of a dataclass by name. `dataclasses.asdict` copies each value, which takes several times as long."""
    return {field.name: getattr(facts, field.name) for field in fields(facts)}


def _broadcast(facts: BroadcastFacts) -> dict[str, Any]:
    return {**_flat(facts), "by": list(facts.by)}


def _upgrade(upgrade: Upgrade) -> str:
    if upgrade.again:
        return say(
            "feltd {installed} is installed again. This table starts anew as soon as no round is played, no device is "
            "tested and no pack is laid.",
            installed=upgrade.installed,
        )
    return say(
        "feltd {installed} is installed. This table runs {runs}. It starts anew as soon as no round is played, no "
        "device is tested and no pack is laid.",
        installed=upgrade.installed,
        runs=upgrade.runs,
    )


def _signature(signature: SignatureFacts) -> dict[str, Any]:
    return {**_flat(signature), "detail": detail_in_words(signature.detail)}


def _step(step: StepFacts) -> dict[str, Any]:
    """Without the reason, which is for those who may ask or approve."""
    return {"id": step.id, "kind": step.kind, "about": step.about, "asked_by": step.asked_by, "state": step.state}


def _device(device: DeviceState) -> dict[str, Any]:
    fault = None if device.fault is None else _flat(device.fault)
    return {**_flat(device), "fault": fault, "disabled": list(device.disabled)}


def _alarms(state: TableState) -> list[dict[str, Any]]:
    """Each with the rulings that wait because of it."""
    alarms = state.view["alarms"]
    raised = [Raised(alarm["kind"], alarm["seat"], alarm["over"]) for alarm in alarms]
    given = (shown.given.ruling for shown in state.rulings if shown.waits)
    waiting = [Waits(ruling["id"], ruling["irregularity"], ruling["seat"]) for ruling in given]
    joined = rulings_by_alarm(raised, waiting)
    return [_alarm(alarm, rulings) for alarm, rulings in zip(alarms, joined, strict=True)]


def _action(row: AlarmRow, *, waits: bool) -> str:
    if row is ALARMS[Condition.RULING_WAITS] and not waits:
        return say("No ruling on it waits any more: look at it among the rulings.")
    return row_text(row.action)


def _alarm(alarm: AlarmView, rulings: tuple[int, ...]) -> dict[str, Any]:
    row = row_of(alarm["kind"])
    return {
        **alarm,
        "text": alarm_in_words(alarm),
        "priority": row.priority,
        "group": row.group,
        "action": _action(row, waits=bool(rulings)),
        "many": row_text(row.many),
        "may_shelve": alarm["kind"] in SHELVABLE,
        "rulings": list(rulings),
    }


def _ruling(state: TableState, shown: ShownRuling) -> dict[str, Any]:
    ruling = shown.given.ruling
    return {
        "wall": shown.given.wall,
        "t": None,
        **ruling,
        "translation": ruling_text(ruling["text"]),
        "irregularity_words": words_of(Irregularity, ruling["irregularity"]),
        "row": row_address(ruling["rule"], ruling["text"]),
        "outcome_words": begin_sentence(words_of(Outcome, ruling["outcome"])),
        "also_words": [words_of(Outcome, outcome) for outcome in ruling["also"]],
        "waits": shown.waits,
        "after": after_decision(state, shown) if shown.waits else "",
        "not_yet": [{"decision": one, "why": why} for one, why in not_yet(state, shown)] if shown.waits else [],
        "may_overrule": shown.may_overrule,
        "settled": None if shown.resolution is None else _flat(shown.resolution),
    }
