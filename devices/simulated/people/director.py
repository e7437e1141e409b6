"""The simulated tournament director: the clock, chip races, the next tournament."""

from typing import Final

from devices.simulated.people import motions
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work

CHIPS: Final = (500, 2500, 10000, 50000, 100000, 500000)
"""Tournament chips in cents: a chip that is raced off becomes the next larger one."""
LEVELS_PLAYED: Final = 10
"""After this many levels a tournament is won; the clock starts anew for the next one."""


def start_clock(work: Work) -> Steps:
    """Start the tournament clock from 0."""
    if work.game.levels:
        work.breaks_over = 0
        yield from work.do(motions.press("tournament_clock", running=True, elapsed=0))


def between_rounds(work: Work) -> Steps:
    """Race off a chip that goes out of play; begin the next tournament after the last level."""
    sense = work.sense
    if not work.game.levels or sense.phase in ("misdeal", "void"):
        return
    if sense.level > LEVELS_PLAYED:
        yield from start_clock(work)
    yield from _end_breaks(work)
    if sense.race_off is not None:
        yield from _race(work, sense.race_off)


def _end_breaks(work: Work) -> Steps:
    """Cut short the break that the table is in: the clock is set to the break's place and runs on."""
    for pause in work.game.breaks[work.breaks_over :]:
        if work.sense.level <= pause.after_level:
            return
        work.breaks_over += 1
        yield from work.do(motions.press("tournament_clock", running=True, elapsed=pause.after_seconds))


def _race(work: Work, chip: int) -> Steps:
    """Each player has some odd chips, or none."""
    work.sense.race_off = None
    new = next((larger for larger in CHIPS if larger > chip), chip * 5)
    odd = {str(seat): work.chance.randrange(new // chip) for seat in work.game.seats}
    odd = {seat: chips for seat, chips in odd.items() if chips}
    yield from work.do(motions.press("race_start", chip=chip, new_chip=new, odd=odd, last=[]))
