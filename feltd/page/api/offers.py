"""What a decision on a ruling would bring now, and which one could not take effect yet."""

from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, Field

from feltd.door import ShownRuling, TableState
from feltd.page.api.band import stops
from feltd.text.alarms import row_of, row_text
from feltd.text.catalogue import say
from feltd.text.words import alarm_in_words
from table_fsm.felt import Decision
from table_fsm.rulebook.irregularities import Irregularity

_OF_THE_SHOE: Final = frozenset({Irregularity.SHOE_MALFUNCTION, Irregularity.SHOE_UNAVAILABLE})


class RefusedView(BaseModel):
    """A floor decision that the table would refuse now."""

    decision: Decision
    seat: int | None = Field(description="the player that it would be about; null where it is about none")
    why: str


class NotYetView(BaseModel):
    """A decision on a ruling that could not take effect yet."""

    decision: Decision
    why: str


def after_decision(state: TableState, shown: ShownRuling) -> str:
    """What the table does once the ruling has been confirmed: play goes on, or what still prevents it."""
    causes = [cause for cause in stops(state, but_acknowledged=_of_the_shoe(shown)) if cause]
    if causes:
        return say("Play stays stopped: {causes}.", causes="; ".join(causes))
    others = sum(one.waits for one in state.rulings) - 1
    if others == 1:
        return say("1 more ruling waits.")
    if others > 1:
        return say("{others} more rulings wait.", others=others)
    return say("Then play goes on.")


def not_yet(state: TableState, shown: ShownRuling) -> Iterator[tuple[Decision, str]]:
    """The decisions on a ruling that could not take effect yet, with the cause and its remedy."""
    if not _of_the_shoe(shown):
        return
    for fault in state.view["faults"]:
        if fault["present"]:
            named = alarm_in_words({"kind": fault["kind"], "device": "shoe", "deck": fault["deck"]})
            action = row_text(row_of(fault["kind"]).action)
            yield Decision.PLAY_ON, say("{fault} is not cleared. {action}", fault=named, action=action)
            return


def _of_the_shoe(shown: ShownRuling) -> bool:
    return shown.given.ruling["irregularity"] in _OF_THE_SHOE
