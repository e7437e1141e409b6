"""A clean stream, played once, with a mark at each prompt: the moments of a round are read off it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from feltd.books.moments.croupier import MOST_STEPS, Croupier, Prompt, StuckError
from feltd.books.moments.layout import Deed
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import Stream
from table_fsm.rulebook import Rulebook

Prepare = Callable[[Croupier], None]
"""What happens at the table beside the clean round, before it or in it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A prompt of a clean stream. `at`: how many deeds came before it."""

    at: int
    prompt: Prompt
    phase: str
    street: str | None
    round: int
    """How many rounds have ended before it."""
    cards: int
    """How many cards lie on the layout."""
    held: int
    """For a prompt to deal: how many cards lie in that zone already."""

    @property
    def name(self) -> str:
        """What is asked: the first key of the prompt."""
        return next(iter(self.prompt))

    @property
    def zone(self) -> str | None:
        """Where a card is due, if one is."""
        return self.prompt.get("deal")


@dataclass(frozen=True, slots=True)
class Trace:
    """All deeds of a clean stream, and its marks."""

    setting: Setting
    done: tuple[Deed, ...]
    marks: tuple[Mark, ...]
    odd: tuple[str, ...]
    """What was ruled or refused though nothing was wrong; empty, or the generator is at fault."""

    def first(self, fits: Callable[[Mark], bool]) -> Mark | None:
        """The first mark that fits; None if there is none."""
        return next((mark for mark in self.marks if fits(mark)), None)


def play(
    setting: Setting,
    books: Mapping[str, Rulebook],
    prepare: Prepare | None = None,
    *,
    rounds: int = 2,
    fold_to: int = 0,
) -> Trace:
    """Play clean rounds to the first cards of the next one, and mark each prompt.

    `prepare` is called at each prompt, before it is followed. Raises StuckError.
    """
    stream = Stream.on(setting, books)
    croupier = Croupier(stream, fold_to=fold_to)
    croupier.open()
    marks: list[Mark] = []
    ended = 0
    for _ in range(MOST_STEPS * rounds):
        if prepare is not None:
            prepare(croupier)
        prompt = stream.prompt
        if prompt is None:
            raise StuckError(f"{setting.book.id}: the table asks for nothing")
        marks.append(_mark(stream, prompt, ended))
        if ended == rounds - 1 and stream.layout.zones and rounds > 1:
            break
        croupier.step()
        if stream.done[-1]["ev"] == "hand.end":
            ended += 1
            if ended == rounds:
                break
    odd = tuple(told.refusal or str(told.ruling and told.ruling.irregularity) for told in stream.told)
    return Trace(setting, tuple(stream.done), tuple(marks), odd)


def _mark(stream: Stream, prompt: Prompt, ended: int) -> Mark:
    view = stream.table.view()
    cards = sum(map(len, stream.layout.zones.values()))
    zone = prompt.get("deal")
    held = len(stream.layout.at(zone)) if zone else 0
    return Mark(len(stream.done), prompt, view["phase"], view["street"], ended, cards, held)


CLEAN: Final = "clean"
