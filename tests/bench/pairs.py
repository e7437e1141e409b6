"""One keypad's waits, taken in turn with everything left alone and with something disturbed."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from statistics import median
from typing import Final

from tests.bench.chattering import Chatterers
from tests.bench.report import Row, Spread, micro

PACE: Final = 40.0
"""Events a second of the keypad."""
SETTLE: Final = 1.0
WORDS: Final[Mapping[str, str]] = {"waited": "event to acknowledgement", "lit": "call to lamp"}
"""What the keypad's process measures, and how it is called."""

Disturbance = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Pair:
    """One turn left alone and one disturbed: the spreads by what was measured, in microseconds."""

    alone: Mapping[str, Spread]
    disturbed: Mapping[str, Spread]


async def take_pairs(devices: Chatterers, disturbance: Disturbance, pairs: int, seconds: float) -> list[Pair]:
    """So many pairs of turns of so many seconds; every other pair begins with the turn left alone."""
    return [await _pair(devices, disturbance, seconds, alone_first=bool(n % 2)) for n in range(pairs)]


def rows_of(what: str, pairs: list[Pair], goal: float) -> list[Row]:
    """A line for each thing measured. `goal`: times the turn left alone at p99, by the median of the pairs."""
    rows = []
    for name, words in WORDS.items():
        ratio = _ratio(pairs, name)
        alone = median(pair.alone[name].p99 for pair in pairs)
        disturbed = median(pair.disturbed[name].p99 for pair in pairs)
        rows.append(
            Row(
                f"{what}, {words}, median of {len(pairs)} pairs",
                f"p99 {micro(disturbed)}",
                f"left alone, p99 {micro(alone)}",
                ratio,
                f"p99 under {goal:g} × left alone",
                ratio <= goal,
            )
        )
    return rows


def beside_of(what: str, pairs: list[Pair], beside: str, others: list[Pair]) -> list[Row]:
    """A line for each thing measured: how many times the ratio of these pairs is that of the others."""
    return [
        Row(
            f"– {what}, {words}, beside {beside}",
            f"{_ratio(pairs, name):.2f} × left alone",
            f"{_ratio(others, name):.2f} × left alone",
            _ratio(pairs, name) / _ratio(others, name),
        )
        for name, words in WORDS.items()
    ]


def _ratio(pairs: list[Pair], name: str) -> float:
    return median(pair.disturbed[name].p99 / pair.alone[name].p99 for pair in pairs)


async def _pair(devices: Chatterers, disturbance: Disturbance, seconds: float, *, alone_first: bool) -> Pair:
    if alone_first:
        alone = await _turn(devices, seconds)
    async with disturbance():
        disturbed = await _turn(devices, seconds)
    if not alone_first:
        await asyncio.sleep(SETTLE)
        alone = await _turn(devices, seconds)
    return Pair(alone, disturbed)


async def _turn(devices: Chatterers, seconds: float) -> dict[str, Spread]:
    await devices.pace(PACE)
    await asyncio.sleep(SETTLE)
    await devices.pace(PACE)
    await asyncio.sleep(seconds)
    told = await devices.pace(0.0)
    await asyncio.sleep(SETTLE)
    late = await devices.pace(0.0)
    return {name: Spread.of(told[name] + late[name]) for name in WORDS}
