"""Trends as pictures: plain SVG, one bar a part, its value in figures, readable without colour, in light and in dark.

A picture has its reader's colours as attributes. Where the browser shall choose they are the dark ones, and a style
beside them has the light ones: a viewer that takes no style from an image shows it dark and whole.
"""

import math
import textwrap
from html import escape
from typing import Final

from feltd.page.history.trends import Part, Trend
from feltd.text.catalogue import say
from feltd.text.look import Look, asked_look, colour
from feltd.text.zone import at_the_table

WIDTH: Final = 480
NARROW: Final = 300
"""For a telephone, which shows it at 268 at least."""
HEIGHT: Final = 200
_LEFT: Final = 16
_TOP: Final = 44
_BOTTOM: Final = 38
_LINE: Final = 20
"""From a line of words to the next one."""
_BAR_HEIGHT: Final = 22
"""Of the bar of a kind, below its words, and of the room behind it."""
_TITLE: Final = 17
_LETTERS: Final = 16
"""Pixels. A page shows a picture at nine tenths at least: no letter is less than 14."""
_LETTER_WIDE: Final = 0.58
"""Of a figure, as a part of its height."""
_WORD_WIDE: Final = 0.64
"""Of a letter of words, bold ones too."""
_BAR: Final = "bar"
_INK: Final = "text"
_FAINT: Final = "quiet"
_GROUND: Final = "panel"
"""Tokens of the page's colours (`feltd/text/look.py`)."""


def chart(trend: Trend, wide: int = WIDTH) -> str:
    """A trend as an SVG document, so many pixels wide. Times are the controller's local ones."""
    title = f"{trend.title}, {trend.unit}" if trend.unit == "s" else trend.title
    lines = _lines(title, wide, _TITLE)
    down = (len(lines) - 1) * _LINE
    by_kind = any(part.label for part in trend.parts) or not trend.parts
    body, height = _kinds(trend, wide) if by_kind else (_times(trend, wide), HEIGHT)
    heading = "".join(
        f'<text x="{_LEFT}" y="{26 + at * _LINE}" {_paint(_INK)} font-size="{_TITLE}" font-weight="600">'
        f"{escape(line)}</text>"
        for at, line in enumerate(lines)
    )
    name = escape(trend.title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {height + down}" width="{wide}" '
        f'height="{height + down}" role="img" aria-label="{name}" font-family="system-ui, sans-serif" '
        f'font-size="{_LETTERS}"><title>{name}</title><desc>{escape(in_words(trend))}</desc>{_light_by_preference()}'
        f'<rect width="{wide}" height="{height + down}" rx="6" {_paint(_GROUND)}/>{heading}'
        f'<g transform="translate(0 {down})">{"".join(body)}</g></svg>'
    )


def _lines(words: str, wide: int, letters: int) -> list[str]:
    """Words in as many lines as they need beside each other."""
    return textwrap.wrap(words, int((wide - 2 * _LEFT) / (letters * _WORD_WIDE))) or [""]


def in_words(trend: Trend) -> str:
    """The same for those who do not see it."""
    figures = [f"{part.label or clock(part)} {figure(part.value)}" for part in trend.parts if part.value]
    unit = f" ({trend.unit})" if trend.unit else ""
    return f"{trend.title}{unit}: " + (", ".join(figures) if figures else say("nothing in this time"))


def clock(part: Part) -> str:
    """When a part begins: the hour, or for whole days the day."""
    if part.since is None:
        return ""
    there = at_the_table(part.since)
    return there.strftime("%m-%d" if (there.hour, there.minute) == (0, 0) else "%H:%M")


def figure(value: float | None) -> str:
    """`12`, `12.5`, `1.2k`; a dash where there is nothing to tell."""
    if value is None:
        return "–"
    if value >= 10_000:
        return f"{value / 1000:.0f}k"
    return f"{value:.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


def _times(trend: Trend, wide: int) -> list[str]:
    most = max((part.value or 0.0 for part in trend.parts), default=0.0) or 1.0
    step = (wide - 2 * _LEFT) / len(trend.parts)
    floor = HEIGHT - _BOTTOM
    drawn = [f'<line x1="{_LEFT}" x2="{wide - _LEFT}" y1="{floor}" y2="{floor}" {_paint(_FAINT, "stroke")}/>']
    told = _with_figures([part.value for part in trend.parts], step)
    apart = max(1, len(trend.parts) // 7, math.ceil((5 * _LETTERS * _LETTER_WIDE + 8) / step))
    for at, part in enumerate(trend.parts):
        x = _LEFT + at * step
        tall = (part.value or 0.0) / most * (floor - _TOP - 16)
        middle = x + step / 2
        if part.value:
            drawn.append(_rectangle(x + 2, floor - tall, step - 4, tall))
        if at in told:
            drawn.append(_text(middle, floor - tall - 4, figure(part.value), _INK))
        if at % apart == 0:
            drawn.append(_text(max(middle, _LEFT + 14), floor + 22, clock(part), _FAINT))
    if all(part.value is None or part.value == 0 for part in trend.parts):
        drawn.append(_text(wide / 2, HEIGHT / 2, say("nothing in this time"), _FAINT))
    return drawn


def _with_figures(values: list[float | None], step: float) -> set[int]:
    """Which bars have their figure above them: the highest first, as long as none lies over another."""
    told: dict[int, float] = {}
    for at, value in sorted(enumerate(values), key=lambda one: -(one[1] or 0.0)):
        wide = len(figure(value)) * _LETTERS * _LETTER_WIDE
        if value and all(abs(at - other) * step >= (wide + theirs) / 2 + 2 for other, theirs in told.items()):
            told[at] = wide
    return set(told)


def _kinds(trend: Trend, wide: int) -> tuple[list[str], int]:
    """Bars one below the other, each under its words, and how tall they are with what stands above them."""
    if not trend.parts:
        return [_text(wide / 2, _TOP + 16, say("nothing in this time"), _FAINT)], _TOP + _LINE + _BAR_HEIGHT + 12
    most = max(part.value or 0.0 for part in trend.parts) or 1.0
    drawn, y = [], _TOP
    for part in trend.parts:
        for line in _lines(part.label, wide, _LETTERS):
            drawn.append(_text(_LEFT, y + 16, line, _INK, anchor="start"))
            y += _LINE
        long = (part.value or 0.0) / most * (wide - 2 * _LEFT - 60)
        drawn.append(_rectangle(_LEFT, y + 2, long, 16))
        drawn.append(_text(_LEFT + long + 6, y + 16, figure(part.value), _INK, anchor="start"))
        y += _BAR_HEIGHT
    return drawn, y + 12


def _rectangle(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" {_paint(_BAR)}/>'


def _text(x: float, y: float, words: str, token: str, *, anchor: str = "middle") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place} {_paint(token)}>{escape(words)}</text>"


def _paint(token: str, what: str = "fill") -> str:
    return f'class="{what}-{token}" {what}="{colour(token, light=asked_look.get() is Look.LIGHT)}"'


def _light_by_preference() -> str:
    if asked_look.get() is not Look.BROWSER:
        return ""
    rules = "".join(
        f".{what}-{token} {{ {what}: {colour(token, light=True)} }} "
        for what, token in (("fill", _BAR), ("fill", _INK), ("fill", _FAINT), ("stroke", _FAINT), ("fill", _GROUND))
    )
    return f"<style>@media (prefers-color-scheme: light) {{ {rules}}}</style>"
