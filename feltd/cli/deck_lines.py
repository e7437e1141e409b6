"""Chips' numbers as a reader types them at a terminal, or as a program writes them: a line each.

A number tells a card as surely as its name does. So a terminal shows nothing of what is typed, and what comes too late
is not left to the shell.
"""

import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import IO, Final

import click

from devices.adapters.chip_numbers import chip_number, is_changing
from feltd.door.packs import ChipHeard, WorkFacts
from feltd.table.packs.laying import Enrolling
from feltd.table.packs.pack_list import Pack, PackError

_LINE_MOST: Final = 200
_LOCAL, _KEYS = 3, 6
"""Places of the local modes and of the special keys in what termios gives."""
_BACK: Final = "back"
_ORDER: Final = "order"


def numbers(chips: IO[str]) -> Iterator[bytes]:
    """The chips' numbers to the end of the file. Raises PackError, which names the line."""
    with _unseen(chips):
        place = 0
        while line := _line(chips):
            place += 1
            if not line.strip():
                continue
            number = chip_number(line.strip())
            if number is None:
                raise PackError(f"line {place}: no chip's number of 4, 7, 8 or 10 bytes in pairs of hexadecimal digits")
            if is_changing(number):
                raise PackError(f"line {place}: a chip whose number changes, as a phone has it: it cannot be a card")
            yield number


def laid_at_terminal(chips: IO[str], laying: Enrolling, now: Callable[[], float]) -> Pack:
    """The pack whose cards a person lays one by one: each is asked for, and what is wrong is said at once.

    `now`: seconds. Raises PackError where the terminal ends before the pack is whole.
    """
    with _unseen(chips):
        click.echo(f"What is typed is not shown. {_BACK} and Enter take the last card back.", err=True)
        if laying.facts().gathering:
            click.echo(f"Lay the whole pack, in piles of a few cards, then say {_ORDER} and Enter.", err=True)
        while _goes_on(laying.facts()):
            line = _line(chips)
            if not line:
                break
            if line.strip():
                _take(laying, line.strip(), now())
    return laying.pack()


def one_a_second() -> Callable[[], float]:
    """The clock of lines that a program has written: each came alone."""
    return partial(next, map(float, count()))


def _goes_on(facts: WorkFacts) -> bool:
    """Ask for what comes next; False where all is laid."""
    if facts.gathering:
        click.echo(f"{facts.laid} of {facts.cards} chips", err=True)
    elif facts.next is not None:
        click.echo(f"card {facts.laid + 1} of {facts.cards}: {facts.next}", err=True)
    return facts.gathering or facts.next is not None


def _take(laying: Enrolling, line: str, t: float) -> None:
    words = None
    step = {_BACK: laying.take_back, _ORDER: laying.put_in_order}.get(line.lower())
    if step is None:
        laying.hear(chip_number(line) or b"", t)
        words = _words(laying.facts())
    else:
        try:
            step()
        except PackError as fault:
            words = str(fault)
    if words is not None:
        click.echo(f"  {words}", err=True)


def _words(facts: WorkFacts) -> str | None:
    """What a person is told of the last chip; None where it was taken."""
    match facts.heard:
        case ChipHeard.AGAIN if facts.gathering:
            return "this chip was seen already: it counts once"
        case ChipHeard.AGAIN:
            return f"this chip was laid already, as card {facts.heard_place}: it counts once"
        case ChipHeard.OF_PACK:
            return f'a card of the pack "{facts.heard_pack}": two packs are mixed; take it out'
        case ChipHeard.CHANGING:
            return "a chip whose number changes, as a phone has it: it is no card"
        case ChipHeard.NOT_WHOLE:
            return "the chip was not read whole: lay the card flat, and once more"
        case ChipHeard.TOGETHER:
            return "two chips came at once, and neither counts: lay one at a time"
        case ChipHeard.TOO_MANY:
            return "one chip too many: take out the card that is none of the pack, say back and Enter, and lay all anew"
        case ChipHeard.NOT_SEEN:
            return "this chip was not among those of the pack: take it out"
        case _:
            return None


def _line(chips: IO[str]) -> str:
    try:
        return chips.readline(_LINE_MOST)
    except OSError as fault:
        raise PackError(
            f"{chips.name}: the reader cannot be read any more: {fault.strerror}; nothing is kept"
        ) from None


@contextmanager
def _unseen(chips: IO[str]) -> Iterator[None]:
    """A terminal shows nothing that is typed meanwhile, and forgets at the end what nobody has read."""
    if not chips.isatty():
        yield
        return
    before, hidden = (termios.tcgetattr(chips.fileno()) for _ in range(2))
    hidden[_LOCAL] &= ~(termios.ECHO | termios.ECHONL)
    hidden[_KEYS][termios.VSUSP] = b"\0"  # a shell that takes the command up again would show what is typed
    termios.tcsetattr(chips.fileno(), termios.TCSAFLUSH, hidden)
    try:
        yield
    finally:
        termios.tcsetattr(chips.fileno(), termios.TCSAFLUSH, before)
