"""The tournament director of the simulated table: starts the clock, has chips raced off, begins the next tournament."""

from typing import Final

from devices.simulated.people import motions
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work

CHIPS: Final = (500, 2500, 10000, 50000, 100000, 500000)
"""Tournament chips, in cents: what is raced off becomes the next one."""
LEVELS_PLAYED: Final = 10
"""After so many levels somebody has won; the clock goes back to its start for the next tournament."""


def start_clock(work: Work) -> Steps:
    """Play begins: the clock runs from nought."""
    if work.game.levels:
        yield from work.do(motions.press("tournament_clock", running=True, elapsed=0))


def between_rounds(work: Work) -> Steps:
    """A race where a chip goes out of play; the next tournament where this one has gone on long enough."""
    sense = work.sense
    if not work.game.levels or sense.phase in ("misdeal", "void"):
        return
    if sense.level > LEVELS_PLAYED:
        yield from start_clock(work)
    if sense.race_off is not None:
        yield from _race(work, sense.race_off)


def _race(work: Work, chip: int) -> Steps:
    """Each player has some odd chips, or none."""
    work.sense.race_off = None
    new = next((larger for larger in CHIPS if larger > chip), chip * 5)
    odd = {str(seat): work.chance.randrange(new // chip) for seat in work.game.seats}
    odd = {seat: chips for seat, chips in odd.items() if chips}
    yield from work.do(motions.press("race_start", chip=chip, new_chip=new, odd=odd, last=[]))
