"""The indicators: lamps, buzzer, the dealer's character display and the action clock.

They report no events. Each command sets a whole level (all lamps, the whole display), so that it may be sent again
after a reconnect. A sound has a number: the device does not sound the same number twice.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, with_config

from devices.drivers.base import SETTINGS, Command, Driver, Reading
from devices.drivers.cleaning import clean_text
from devices.drivers.fields import Fields
from devices.drivers.trials import TrialKind
from table_fsm.events import Event
from table_fsm.felt import SEAT_COUNT

LAMPS_MAX: Final = 16
LEFT_MAX_MS: Final = 3_600_000

_CUT: Final = "…"
"""Ends a text of which the display has no room for the rest."""

_NO_BREAK: Final = "\N{NO-BREAK SPACE}"

LampName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,23}$")]


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class IndicatorsSettings:
    """The indicators of the device; it gets no command for others.

    `lamps`: their names; if empty, any. `rows`, `columns`: of the display, in characters; 0 rows mean no display.
    `buzzer`, `clock`: whether they exist.
    """

    lamps: Annotated[tuple[LampName, ...], Field(max_length=LAMPS_MAX)] = ()
    rows: Annotated[int, Field(ge=0, le=8)] = 4
    columns: Annotated[int, Field(ge=8, le=80)] = 40
    buzzer: bool = True
    clock: bool = True


class IndicatorsDriver(Driver[IndicatorsSettings]):
    """The indicators' driver.

    It keeps the level of every lamp, because each command sets all of them.
    """

    role: ClassVar[str] = "indicators"
    each_time: ClassVar[frozenset[str]] = frozenset({"clock"})  # it counts from when it comes
    settings_type = IndicatorsSettings

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._lamps: dict[str, bool] = dict.fromkeys(self.settings.lamps, False)

    @property
    def lamps(self) -> tuple[str, ...]:
        """The names of its lamps.

        Those configured; if none are, those that outputs have named so far.
        """
        return tuple(self._lamps)

    @property
    def trials(self) -> tuple[TrialKind, ...]:
        settings = self.settings
        has = {
            TrialKind.LAMP: bool(self.lamps),
            TrialKind.DISPLAY: settings.rows > 0,
            TrialKind.BUZZER: settings.buzzer,
            TrialKind.CLOCK: settings.clock,
        }
        return tuple(kind for kind, there in has.items() if there)

    def trial_output(self, kind: TrialKind, lamp: str | None, seconds: float, t: float) -> dict[str, Any] | None:
        match kind:
            case TrialKind.LAMP:
                return {"lamp": {"name": lamp, "on": True}}
            case TrialKind.DISPLAY:
                line = ("1234567890" * self.settings.columns)[: self.settings.columns - 1]
                return {"display": {"text": " ".join([line] * self.settings.rows), "rule": None}}
            case TrialKind.BUZZER:
                return {"buzzer": {"pattern": "short"}, "t": t}
            case TrialKind.CLOCK:
                return {"clock": {"seat": 1, "left": seconds}}
            case TrialKind.LISTEN:
                return None

    def _events_read(self) -> Mapping[str, Reading]:
        return {}

    def _compare(self, read: Fields, t: float) -> list[Event]:
        lamps = Fields(self.name, "state", read.map_at("lamps"), read.map_at("lamps"))
        for lamp in read.map_at("lamps"):
            lamps.yes_no(lamp)
        read.array("display", 8)
        return []

    def commands(self, output: Mapping[str, Any]) -> list[Command]:
        commands: list[Command] = []
        if "lamp" in output:
            commands += self._lamp(output["lamp"])
        if "display" in output and self.settings.rows:
            commands.append(("display", {"lines": self._lines(output["display"])}))
        if "buzzer" in output and self.settings.buzzer:
            commands.append(("buzzer", self._sound(output["buzzer"], output.get("t"))))
        if "clock" in output and self.settings.clock:
            commands.append(("clock", self._countdown(output["clock"])))
        return commands

    def shows_first(self, output: Mapping[str, Any], part: str) -> bool:
        """Whether the display shows this output's text at least as far as `part`, with which it begins."""
        shown = _close("".join(self._lines(output["display"]))).removesuffix(_CUT)
        return shown.startswith(_close(clean_text(part, len(part))))

    def _lamp(self, value: object) -> list[Command]:
        lamp = value.get("name") if isinstance(value, Mapping) else None
        on = value.get("on") if isinstance(value, Mapping) else None
        if not isinstance(lamp, str) or not isinstance(on, bool):
            raise self.bad_output("lamp", "it must be an object of a lamp's name, and on true or false")
        if self.settings.lamps and lamp not in self.settings.lamps:
            return []  # this table has no such lamp
        if lamp not in self._lamps and len(self._lamps) >= LAMPS_MAX:
            raise self.bad_output("lamp", f"more than {LAMPS_MAX} lamps")
        self._lamps[lamp] = on
        return [("lamps", dict(self._lamps))]

    def _lines(self, value: object) -> list[str]:
        if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
            raise self.bad_output("display", "it must be an object with a text")
        rule, within = (said if isinstance(said, str) else "" for said in (value.get("rule"), value.get("within")))
        return list(_laid_out(value["text"], rule, within, self.settings))

    def _sound(self, value: object, t: object) -> dict[str, Any]:
        pattern = value.get("pattern") if isinstance(value, Mapping) else None
        if not isinstance(pattern, str) or not pattern.isidentifier():
            raise self.bad_output("buzzer", "it must be an object with a pattern")
        if isinstance(t, bool) or not isinstance(t, int | float):
            raise self.bad_output("buzzer", "its t is missing")
        return {"pattern": pattern, "n": round(t * 1000)}

    def _countdown(self, value: object) -> dict[str, Any]:
        if value is None:
            return {"on": False}
        seat = value.get("seat") if isinstance(value, Mapping) else None
        left = value.get("left") if isinstance(value, Mapping) else None
        if isinstance(seat, bool) or not isinstance(seat, int) or not 1 <= seat <= SEAT_COUNT:
            raise self.bad_output("clock", "its seat is not 1 to 10")
        if left is None:
            return {"on": False}
        if isinstance(left, bool) or not isinstance(left, int | float) or not 0 <= left * 1000 <= LEFT_MAX_MS:
            raise self.bad_output("clock", "its seconds left are not from 0 to 3600")
        return {"on": True, "seat": seat, "left": round(left * 1000)}


@lru_cache(maxsize=256)  # a rulebook has few texts, and layout costs more than sending
def _laid_out(text: str, rule: str, within: str, settings: IndicatorsSettings) -> tuple[str, ...]:
    """The lines of a text.

    `rule`: the clause that it follows from, shown before it. `within`: a clause that the text itself has in brackets.
    Who asks the floor by either needs its number: it is never cut off.
    """
    whole = clean_text(text, settings.rows * (settings.columns + 1) + 1)  # more than fits, so that its end shows a cut
    if rule:
        return _wrapped(f"[{_shortened(rule, settings.columns - 2)}] {whole}", settings)
    lines = _wrapped(whole, settings)
    if not within or f"[{within}]" in " ".join(lines):
        return lines
    before, _, _ = text.partition(f"[{within}]")
    return _ending_in(f"[{_shortened(within, settings.columns - 3)}]", clean_text(before, len(whole)), settings)


def _ending_in(clause: str, before: str, settings: IndicatorsSettings) -> tuple[str, ...]:
    """As much of what comes before the clause as leaves room for it: an order's last words give way first.

    The clause stays in one line, so that it never takes a second one from the order.
    """
    words, kept = before.split(), clause.replace(" ", _NO_BREAK)
    told = f"{before} {kept}{_CUT}"
    while words and len(textwrap.wrap(told, settings.columns, break_on_hyphens=False)) > settings.rows:
        words.pop()
        told = f"{' '.join(words)}{_CUT} {kept}"
    if not words and settings.rows > 1:  # its first word alone has no room in a line
        told = f"{before[: settings.columns - 1]}{_CUT} {kept}"
    elif not words:
        told = kept
    return tuple(line.replace(_NO_BREAK, " ") for line in _wrapped(told, settings))


def _shortened(clause: str, room: int) -> str:
    """A clause in so many characters: the number at its end stays whole.

    >>> _shortened("Acting Out of Turn 1", 14), _shortened("F player shows own cards", 14), _shortened("12.3(e)", 14)
    ('Acting Out… 1', 'F player show…', '12.3(e)')
    """
    clause = clean_text(clause, len(clause))
    words, _, number = clause.rpartition(" ")
    if len(clause) <= room:
        return clause
    if not any(map(str.isdigit, number)) or len(number) + 2 > room:
        return clause[: room - 1].rstrip() + _CUT
    return f"{words[: room - len(number) - 2].rstrip()}{_CUT} {number}"


def _wrapped(text: str, settings: IndicatorsSettings) -> tuple[str, ...]:
    """The text in the display's lines; what has no room is left out, and "…" says so."""
    lines = textwrap.wrap(
        text, width=settings.columns, max_lines=settings.rows, placeholder=_CUT, break_on_hyphens=False
    )
    return tuple(line[: settings.columns] for line in lines)


def _close(text: str) -> str:
    """The text without its blanks: a line's end takes some away."""
    return "".join(text.split())
