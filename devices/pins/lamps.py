"""Lamps and the buzzer on pins: the posts of the role `indicators`."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from devices.drivers.base import Driver
from devices.drivers.indicators import IndicatorsDriver
from devices.pins.facts import Pins
from devices.pins.groups import Group, OutputFacts, Step

BUZZER: Final = "buzzer"
PATTERNS: Final[Mapping[str, tuple[float, ...]]] = {
    "short": (0.15,),
    "long": (0.8,),
    "alarm": (0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.6),
}
"""Seconds on, off, on, …; an unknown pattern sounds as `short`."""


class LampsGroup(Group):
    """Lamps and a buzzer. The buzzer is off at start and stop."""

    role: ClassVar[str] = "indicators"

    def __init__(self, pins: Pins) -> None:
        self._lamps = tuple(lamp.name for lamp in pins.lamps)
        self._sounded: object = None
        lamps = tuple(
            OutputFacts(
                lamp.name,
                lamp.line,
                lamp.active,
                first=lamp.at_start == "on",
                last=None if lamp.at_stop == "keep" else lamp.at_stop == "on",
            )
            for lamp in pins.lamps
        )
        buzzer = pins.buzzer
        sound = () if buzzer is None else (OutputFacts(BUZZER, buzzer.line, buzzer.active, first=False, last=False),)
        self.outputs = (*lamps, *sound)
        settings = {"lamps": self._lamps, "rows": 0, "clock": False, "buzzer": buzzer is not None}
        self._driver = _LampsDriver(self.name, settings)

    def driver(self) -> Driver[Any]:
        """The driver of indicators on a wire."""
        return self._driver

    def state(self, now: Mapping[str, bool]) -> Mapping[str, Any]:
        """Empty: outputs report nothing."""
        return {"lamps": {}, "display": []}

    def post(self, name: str, args: Mapping[str, Any]) -> Sequence[Step]:
        """`lamps`: each to its level. `buzzer`: a pattern, once for each number."""
        if name == "lamps":
            return [Step(0.0, lamp, bool(args[lamp])) for lamp in self._lamps if lamp in args]
        if name != BUZZER or args.get("n") == self._sounded:
            return ()
        self._sounded = args.get("n")
        return _sound(str(args.get("pattern")))


def _sound(pattern: str) -> list[Step]:
    steps, at = [], 0.0
    for number, seconds in enumerate(PATTERNS.get(pattern, PATTERNS["short"])):
        steps.append(Step(at, BUZZER, number % 2 == 0))
        at += seconds
    return [*steps, Step(at, BUZZER, False)]


class _LampsDriver(IndicatorsDriver):
    """The indicators' driver; without configured lamps it has none, instead of any."""

    def commands(self, output: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        if "lamp" in output and not self.settings.lamps:
            return []
        return super().commands(output)
