"""The simulated supervisor: comes when the table waits, badges, corrects, decides."""

from typing import Any, Final

from devices.simulated.people import motions, pack_work
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work
from table_fsm.felt import IN_PLAY

WALK_SECONDS: Final = 4.0
"""Seconds from the call to the badge, at pace 1."""

_SHOE: Final = frozenset({"shoe_malfunction", "shoe_unavailable"})
_DECK: Final = frozenset({"short_deck", "foreign_card", "duplicate_card", "deck_unchecked"})
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
        yield from _decide(work, "acknowledge", None)
        yield from _decide(work, "resume", None)
        return
    for ruling in waiting:
        yield from _settle(work, ruling)


def _settle(work: Work, ruling: dict[str, Any]) -> Steps:
    number: int = ruling["id"]
    work.sense.pending.pop(number, None)
    yield from _decide(work, "acknowledge", number)
    in_round = work.sense.phase in IN_PLAY
    if in_round and ruling["irregularity"] in _DECK:  # no round goes on with an incomplete deck
        yield from _decide(work, "misdeal", number)
    yield from _put_right(work, ruling)
    if ruling["outcome"] == "stop_table":
        yield from _decide(work, "resume", number)
    elif work.sense.phase not in IN_PLAY:
        yield from _decide(work, "confirm", number)
    elif work.chance.random() < _MISDEALS:
        yield from _decide(work, "misdeal", number)
    else:
        yield from _decide(work, "play_on", number)


def _put_right(work: Work, ruling: dict[str, Any]) -> Steps:
    """Correct what can be seen to be wrong, before the decision."""
    irregularity = ruling["irregularity"]
    if irregularity in _SHOE:
        yield from work.do(motions.shoe("clear"))
        yield from _decide(work, "acknowledge", None)
    elif irregularity in _DECK:
        for deck in work.game.decks:
            yield from pack_work.check_deck(work, deck)
    elif irregularity == "dropbox_unsafe":
        yield from work.do(motions.dropbox("box", present=True, locked=True))


def _decide(work: Work, decision: str, ruling: int | None) -> Steps:
    yield from work.do(
        motions.press("decision", decision=decision, staff=work.game.staff, ruling=ruling, reason="simulated")
    )


def end_round(work: Work) -> Steps:
    """Have the supervisor end a round in which nothing goes on."""
    game = work.game
    yield from work.do(motions.press("floor_called", by="dealer"))
    yield from work.do(motions.wait(WALK_SECONDS))
    yield from work.do(motions.badge(game.staff, game.staff_role))
    yield from work.do(motions.shoe("clear"))
    yield from _decide(work, "acknowledge", None)
    yield from _decide(work, "misdeal", None)
    yield from _decide(work, "resume", None)
