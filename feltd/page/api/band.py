"""The status band: whether play goes on, waits for a person's decision, or is stopped, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, Field

from feltd.door import ShownRuling, TableState
from feltd.text.alarms import Condition
from feltd.text.catalogue import say, word
from feltd.text.stops import Beside, causes
from feltd.text.words import begin_sentence, phase_in_words, words_of
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Authority


class Level(StrEnum):
    """The level of the band, the gravest last."""

    NORMAL = "normal"
    DECIDE = "decide"
    """A person must decide on a ruling, release a hand, or acknowledge an alarm."""
    STOPPED = "stopped"
    """No card may be dealt, and no decision on a ruling alone changes that."""


LEVEL_WORDS: Final[Mapping[Level, str]] = MappingProxyType(
    {
        Level.NORMAL: "",
        Level.DECIDE: "A person must decide",
        Level.STOPPED: "Deal nothing",
    }
)
"""The words for somebody who is not signed in: no cause, no seat, no ruling."""


class BandView(BaseModel):
    """The status band of every page and of the wall view."""

    level: Level
    words: str = Field(description="the cause of a stop, the decision that is due, or the phase")


@dataclass(frozen=True, slots=True)
class Band:
    """The status band.

    `words`: the causes of a stop, the decision that is due, or the phase.
    """

    level: Level
    words: str


def band_of(state: TableState) -> Band:
    """Return the band of a table in this state. The gravest level wins; its words name every cause of that level."""
    stopped = list(stops(state))
    decisions = list(_decisions(state))
    if stopped:
        return Band(Level.STOPPED, "; ".join(stopped))
    if decisions:
        return Band(Level.DECIDE, "; ".join(decisions))
    if state.view["open"] and state.view["gate"] == "locked":
        return Band(Level.STOPPED, word(Condition.GATE_LOCKED))
    return Band(Level.NORMAL, phase_in_words(state.view["phase"], state.view["street"]))


def stops(state: TableState, *, but_acknowledged: bool = False) -> Iterator[str]:
    """The causes for which no card may be dealt, in words; `but_acknowledged`: as of `causes`."""
    return (cause.words for cause in causes(state.view, beside(state), but_acknowledged=but_acknowledged))


def beside(state: TableState) -> Beside:
    """What the table says beside its view of what stops play."""
    return Beside(state.stopped, state.testing, state.needed_away, state.put_back)


def _decisions(state: TableState) -> Iterator[str]:
    yield from (_decision(shown) for shown in state.rulings if shown.waits)
    tournament = state.view["tournament"]
    if tournament is not None and tournament["waits_for_go"]:
        yield say("{hand}: the director releases it", hand=word(Condition.HAND_NOT_RELEASED))
    alarms = sum(not alarm["acknowledged"] and not alarm["shelved"] for alarm in state.view["alarms"])
    if alarms == 1:
        yield say("1 alarm not acknowledged")
    elif alarms:
        yield say("{alarms} alarms not acknowledged", alarms=alarms)


def _decision(shown: ShownRuling) -> str:
    ruling = shown.given.ruling
    seat = say(", seat {seat}", seat=ruling["seat"]) if ruling["seat"] else ""
    who = begin_sentence(words_of(Authority, ruling["authority"]))
    return say("{who} decides: {what}", who=who, what=words_of(Irregularity, ruling["irregularity"])) + seat
