"""The simulated supervisor: comes when the table waits, badges, corrects, decides."""

from typing import Any, Final

from devices.simulated.people import motions, pack_work
from devices.simulated.people.game import Remedy
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work
from table_fsm.felt import IN_PLAY, Decision

WALK_SECONDS: Final = 4.0
"""Seconds from the call to the badge, at pace 1."""

_MISDEALS: Final = 0.4
"""Share of the floor's decisions in a round that end it."""


def wait(work: Work, prompt: dict[str, Any]) -> Steps:
    """The table waits for the director, for players, or for a decision."""
    if prompt["wait"] == "go":
        yield from work.do(motions.press("tournament_go"))
    elif prompt["wait"] == "players":
        yield from work.do(motions.wait(WALK_SECONDS))
    else:
        yield from attend(work)


def attend(work: Work) -> Steps:
    """Come, badge, and settle every pending ruling."""
    game = work.game
    yield from work.do(motions.wait(WALK_SECONDS))
    yield from work.do(motions.badge(game.staff, game.staff_role))
    waiting = list(work.sense.pending.values())
    if not waiting:  # after a restart the pending rulings are not known here
        yield from _decide(work, Decision.ACKNOWLEDGE, None)
        yield from _decide(work, Decision.RESUME, None)
        return
    for ruling in waiting:
        yield from _settle(work, ruling)


def _settle(work: Work, ruling: dict[str, Any]) -> Steps:
    number: int = ruling["id"]
    work.sense.pending.pop(number, None)
    yield from _decide(work, Decision.ACKNOWLEDGE, number)
    in_round = work.sense.phase in IN_PLAY
    remedy = work.game.floor.remedies.get(ruling["irregularity"])
    if in_round and remedy is Remedy.CHECK_PACKS:  # no round goes on with an incomplete deck
        yield from _decide(work, Decision.MISDEAL, number)
    yield from _put_right(work, remedy)
    if ruling["outcome"] == work.game.floor.stops_table:
        yield from _decide(work, Decision.RESUME, number)
    elif work.sense.phase not in IN_PLAY:
        yield from _decide(work, Decision.CONFIRM, number)
    elif work.chance.random() < _MISDEALS:
        yield from _decide(work, Decision.MISDEAL, number)
    else:
        yield from _decide(work, Decision.PLAY_ON, number)


def _put_right(work: Work, remedy: Remedy | None) -> Steps:
    """Correct what can be seen to be wrong, before the decision."""
    if remedy is Remedy.CLEAR_SHOE:
        yield from work.do(motions.shoe("clear"))
        yield from _decide(work, Decision.ACKNOWLEDGE, None)
    elif remedy is Remedy.CHECK_PACKS:
        for deck in work.game.decks:
            yield from pack_work.check_deck(work, deck)
    elif remedy is Remedy.CLOSE_BOX:
        yield from work.do(motions.dropbox("box", present=True, locked=True))


def _decide(work: Work, decision: Decision, ruling: int | None) -> Steps:
    yield from work.do(motions.decide(decision, work.game.staff, ruling=ruling, reason="simulated"))


def end_round(work: Work) -> Steps:
    """Have the supervisor end a round in which nothing goes on."""
    game = work.game
    yield from work.do(motions.press("floor_called", by="dealer"))
    yield from work.do(motions.wait(WALK_SECONDS))
    yield from work.do(motions.badge(game.staff, game.staff_role))
    yield from work.do(motions.shoe("clear"))
    yield from _decide(work, Decision.ACKNOWLEDGE, None)
    yield from _decide(work, Decision.MISDEAL, None)
    yield from _decide(work, Decision.RESUME, None)
