"""Counts and times over a shift, a day or a month, out of the index: what a floor manager looks at once a day."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Final

from feltd.page.history.index import HistoryIndex
from feltd.text.catalogue import say
from feltd.text.words import words_of
from table_fsm.rulebook.irregularities import Irregularity


class TrendSpan(StrEnum):
    """How far back a trend goes."""

    SHIFT = "shift"
    DAY = "day"
    MONTH = "month"


_HOUR: Final = 3600.0
SPANS: Final[Mapping[TrendSpan, tuple[int, float]]] = {
    TrendSpan.SHIFT: (16, _HOUR / 2),
    TrendSpan.DAY: (24, _HOUR),
    TrendSpan.MONTH: (30, 24 * _HOUR),
}
"""How many parts, and seconds of each."""


@dataclass(frozen=True, slots=True)
class Part:
    """One bar. `label`: a kind, or empty where `since` (wall seconds) says which; `value` None: nothing to tell."""

    label: str
    since: float | None
    value: float | None


@dataclass(frozen=True, slots=True)
class Trend:
    """One picture."""

    name: str
    title: str
    unit: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class _Time:
    """The parts of a span: `edges` has one more than there are parts. Wall seconds."""

    edges: tuple[float, ...]

    @property
    def seconds(self) -> float:
        return self.edges[1] - self.edges[0]

    def split(self, values: Iterable[tuple[float, float]]) -> list[list[float]]:
        """(wall, value) pairs by part."""
        first = self.edges[0]
        parts: list[list[float]] = [[] for _ in self.edges[1:]]
        for wall, value in values:
            at = int((wall - first) // self.seconds)
            if 0 <= at < len(parts):
                parts[at].append(value)
        return parts

    def bars(
        self, values: Iterable[tuple[float, float]], figure: Callable[[list[float]], float | None]
    ) -> tuple[Part, ...]:
        return tuple(
            Part("", since, figure(found)) for since, found in zip(self.edges, self.split(values), strict=False)
        )


def edges_of(span: TrendSpan, now: float) -> tuple[float, ...]:
    """The edges of a span's parts, one more than there are parts; `now` lies in the last one. Wall seconds."""
    count, seconds = SPANS[span]
    end = (now // seconds + 1) * seconds
    return tuple(end - seconds * (count - part) for part in range(count + 1))


def trends(index: HistoryIndex, span: TrendSpan, now: float) -> list[Trend]:
    """Return all trends of the span that ends with the part which `now` lies in.

    `now`: wall seconds; its part is not over yet.
    """
    seconds = SPANS[span][1]
    time = _Time(edges_of(span, now))
    rounds = [
        (row["ended"], row["ended"] - row["began"])
        for row in index.select(
            "SELECT began, ended FROM rounds WHERE ended >= ? AND result = 'complete'", (time.edges[0],)
        )
    ]
    shuffles = _pairs(index, "SELECT began, shuffled FROM rounds WHERE shuffled IS NOT NULL AND began >= ?", time)
    rulings = _pairs(index, "SELECT wall, 1 FROM rulings WHERE wall >= ?", time)
    overruled = _pairs(index, "SELECT wall, 1 FROM rulings WHERE decision = 'overrule' AND wall >= ?", time)
    per_hour = _HOUR / seconds
    return [
        Trend("rounds", say("Rounds an hour"), say("rounds"), time.bars(rounds, lambda values: len(values) * per_hour)),
        Trend("round-time", say("Time a round, median"), "s", time.bars(rounds, _median)),
        Trend("irregularities", say("Irregularities"), "", time.bars(rulings, _count)),
        Trend("kinds", say("Irregularities by kind"), "", _kinds(index, time)),
        Trend("overruled", say("Rulings overruled"), "", time.bars(overruled, _count)),
        Trend("unread", say("Cards no reader read"), "", time.bars(_counter(index, "unread cards", time), sum)),
        Trend("links", say("Errors on the links"), "", time.bars(_counter(index, "link errors", time), sum)),
        Trend("shuffles", say("Time from collection to shuffle, median"), "s", time.bars(shuffles, _median)),
    ]


def _pairs(index: HistoryIndex, sql: str, time: _Time) -> list[tuple[float, float]]:
    return [(float(row[0]), float(row[1])) for row in index.select(sql, (time.edges[0],))]


def _counter(index: HistoryIndex, name: str, time: _Time) -> list[tuple[float, float]]:
    rows = index.select("SELECT wall, value FROM counters WHERE wall >= ? AND name = ?", (time.edges[0], name))
    return [(row["wall"], float(row["value"])) for row in rows]


def _kinds(index: HistoryIndex, time: _Time) -> tuple[Part, ...]:
    rows = index.select(
        "SELECT irregularity, count(*) AS n FROM rulings WHERE wall >= ?"
        " GROUP BY irregularity ORDER BY n DESC, irregularity LIMIT 16",
        (time.edges[0],),
    )
    return tuple(Part(words_of(Irregularity, row["irregularity"]), None, float(row["n"])) for row in rows)


def _median(values: list[float]) -> float | None:
    return round(median(values), 1) if values else None


def _count(values: list[float]) -> float:
    return float(len(values))
