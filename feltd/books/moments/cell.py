"""One cell of the matrix: a fault at a moment, and what the table rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from feltd.books.moments.again import need_another, to_the_same_again
from feltd.books.moments.croupier import StuckError
from feltd.books.moments.fault import Fault
from feltd.books.moments.moment import Absent, AnyMoment, Moment, When
from feltd.books.moments.scene import CannotError, Scene
from feltd.books.moments.stream import Stream, Told
from table_fsm.outputs import Ruling
from table_fsm.rulebook import Rulebook

Books = Mapping[str, Rulebook]
_MOST_AFTER: Final = 150
"""Prompts that are followed after the fault, at most; a round has fewer."""
_ENDS_ROUND: Final = frozenset({"misdeal", "void_round"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A ruling, as a cell shows it."""

    irregularity: str
    rule: str
    outcomes: tuple[str, ...]
    pending: bool
    text: str

    @classmethod
    def of(cls, ruling: Ruling) -> "Answer":
        """What a cell shows of a ruling."""
        return cls(ruling.irregularity, ruling.rule, (ruling.outcome, *ruling.also), ruling.pending, ruling.text)

    def shown(self, expected: str) -> str:
        """Clause and outcomes; the irregularity too, unless it is the expected one."""
        named = "" if self.irregularity == expected else f"{self.irregularity}: "
        return f"{named}{self.rule} {' + '.join(self.outcomes)}"


@dataclass(frozen=True, slots=True)
class Cell:
    """What the table rules on a fault at a moment.

    `now`: rulings on the fault's own events; `later`: those that come as play goes on; `refused`: reasons of
    refusals of the fault's events; `odd`: what kept play from going on, empty in good order. `cannot`: why not.
    """

    fault: str
    irregularity: str
    moment: str
    when: When
    cannot: str | None = None
    now: tuple[Answer, ...] = ()
    later: tuple[Answer, ...] = ()
    refused: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The cell in one line."""
        if self.cannot is not None:
            return f"cannot happen, because {self.cannot}"
        parts = [" & ".join(answer.shown(self.irregularity) for answer in self.now) or "no ruling"]
        parts += [f"refused: {reason}" for reason in self.refused]
        parts += [f"later {answer.shown(self.irregularity)}" for answer in self.later]
        return "; ".join([*parts, *self.odd])


class Stage:
    """A moment at which faults happen, each on a table of its own.

    A table at which a fault could not happen is as it was, and serves the next fault.
    """

    def __init__(self, moment: AnyMoment, books: Books) -> None:
        self.moment = moment
        self.begun = 0
        """How many deeds the table had been told as the fault of the last cell began."""
        self._books = books
        self._ready: Stream | None = None

    @property
    def stream(self) -> Stream | None:
        """The table of the last cell, with all that it was told; None before the first."""
        return self._ready

    def _stream(self, moment: Moment) -> Stream:
        stream = self._ready
        if stream is None or len(stream.done) != len(moment.done):
            stream = Stream.after(moment.setting, self._books, moment.done)
        self._ready = stream
        return stream

    def run(self, fault: Fault) -> Cell:
        """Let the fault happen at the moment, and play on to the end of the round."""
        moment = self.moment
        if isinstance(moment, Absent):
            return impossible(fault, moment, moment.reason)
        stream = self._stream(moment)
        scene = Scene.of(stream)
        try:
            first = to_the_same_again(scene, fault.make) if moment.twice else ()
            before, at, done = len(stream.told), len(stream.deeds), len(stream.done)
            self.begun = at
            fault.make(scene)
            need_another(scene, first, stream.done[done:])
        except CannotError as why:
            return impossible(fault, moment, str(why))
        now = stream.told[before:]
        after = len(stream.told)
        odd = _play_on(scene, ruled=bool(now), at=at)
        return _read(fault, moment, now, stream.told[after:], odd)


def impossible(fault: Fault, moment: AnyMoment, reason: str) -> Cell:
    """The cell of a fault that cannot happen at the moment."""
    return Cell(fault.key, fault.irregularity.value, moment.name, moment.when, cannot=reason)


def _play_on(scene: Scene, *, ruled: bool, at: int) -> tuple[str, ...]:
    """Follow the prompts to the end of the round, and where nothing was ruled to the next round's first cards.

    After a misdeal, to the first betting of the deal that follows. Returns what kept play from going on.
    """
    stream = scene.stream
    for _ in range(_MOST_AFTER):
        if _over(stream, ruled=ruled, at=at):
            return ()
        try:
            scene.croupier.step()
        except StuckError as stuck:
            return (f"stuck: {stuck}",)
    return (f"no end: {stream.prompt}",)


def _over(stream: Stream, *, ruled: bool, at: int) -> bool:
    ended = any(deed["ev"] == "hand.end" for deed in stream.deeds[at:])
    if ended:
        return ruled or bool(stream.layout.zones)
    again = any(told.at >= at and told.ruling and told.ruling.outcome in _ENDS_ROUND for told in stream.told)
    return again and next(iter(stream.prompt or {}), "") in ("act", "decide", "open")


def _read(fault: Fault, moment: Moment, now: list[Told], later: list[Told], odd: tuple[str, ...]) -> Cell:
    failed = any(told.is_ours for told in (*now, *later))
    strange = [f"as play went on refused: {told.refusal}" for told in later if told.refusal]
    return Cell(
        fault.key,
        fault.irregularity.value,
        moment.name,
        moment.when,
        None,
        tuple(Answer.of(told.ruling) for told in now if told.ruling),
        tuple(Answer.of(told.ruling) for told in later if told.ruling),
        tuple(told.refusal for told in now if told.refusal),
        (*odd, *dict.fromkeys(strange), *(["CONTROLLER FAULT"] if failed else [])),
    )
