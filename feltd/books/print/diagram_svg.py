"""The states of a book's round as a drawing (SVG), made of nothing but text.

Two frames stand side by side: what is between rounds, and the round from top to bottom. What may happen in every state
of a frame is one arrow from its edge; what stays within the left frame is told in the box that it leads to.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

from feltd.books.print.diagram import MOST_ARROWS, Transition, sources_of
from feltd.books.print.phrases import state_words, trigger_words
from feltd.text.catalogue import say
from feltd.text.look import colour
from table_fsm.core.machine import transitions_of
from table_fsm.rulebook.book import Rulebook

START: Final = "begin"
"""The trigger that leads from between rounds into a round."""

_BOX_WIDTH: Final = 240
_BOX_HEIGHT: Final = 52
_ROW: Final = 86
_TOP: Final = 64
_LEFT: Final = 22
_RIGHT: Final = 448
_PAD: Final = 20
_WIDTH: Final = 768
_LANE: Final = 17
"""Between two arrows that run beside the round."""

STYLE: Final = """
.d-frame { fill: var(--ground); stroke: var(--line); }
.d-box { fill: var(--panel); stroke: var(--soft); stroke-width: 1.5; }
.d-rest { stroke-dasharray: 5 4; }
.d-name { fill: var(--text); font: 600 15px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle; }
.d-note { fill: var(--quiet); font: 12px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle; }
.d-head { fill: var(--quiet); font: 600 13px system-ui, "DejaVu Sans", sans-serif; letter-spacing: .04em; }
.d-arrow { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.d-tip { fill: var(--soft); }
.d-label { fill: var(--text); font: 13px system-ui, "DejaVu Sans", sans-serif; }
.d-middle { text-anchor: middle; }
.d-end { text-anchor: end; }
"""
"""What the classes look like, in the colours of the page around them (`feltd/text/look.py`)."""
_TOKEN: Final = re.compile(r"var\(--([a-z-]+)\)")


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan of the drawing: each state's row in its frame, the arrows, the notes in boxes."""

    title: str
    rests: dict[str, int]
    round: dict[str, int]
    steps: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Arrows between two states."""
    into_round: dict[str, list[str]] = field(default_factory=dict)
    """From anywhere between rounds to a state of the round."""
    out_of_round: dict[str, list[str]] = field(default_factory=dict)
    """From anywhere in the round to a state between rounds."""
    notes: dict[str, list[str]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return 1 + max((*self.rests.values(), *self.round.values()), default=0)

    @property
    def height(self) -> int:
        return _TOP + self.rows * _ROW


def diagram_svg(rulebook: Rulebook, *, styled: bool = True) -> str:
    """The round under this book as an SVG image.

    `styled`: with its own colours; else the surrounding page has them (`STYLE`).
    """
    return draw(rulebook.title, transitions_of(rulebook.book), styled=styled)


def draw(title: str, transitions: Sequence[Transition], *, styled: bool = True) -> str:
    """The transitions as an SVG image, states in the order in which they first come."""
    plan = _plan(title, transitions)
    style = f"<style>{_own_colours()}{STYLE}</style>" if styled else ""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {plan.height}" role="img" '
            'aria-labelledby="d-title d-desc" class="diagram">',
            f'<title id="d-title">{escape(say("{title}: the round", title=title))}</title>',
            f'<desc id="d-desc">{escape(" ".join(_description(plan)))}</desc>{style}',
            '<defs><marker id="d-tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            'orient="auto-start-reverse"><path class="d-tip" d="M0 1 L9 5 L0 9 z"/></marker></defs>',
            *_frames(plan),
            *_arrows(plan),
            *_boxes(plan),
            "</svg>",
            "",
        ]
    )


def _own_colours() -> str:
    """The tokens of `STYLE`, for a drawing that no page surrounds."""
    names = sorted(set(_TOKEN.findall(STYLE)))

    def rule(*, light: bool) -> str:
        return " ".join(f"--{name}: {colour(name, light=light)};" for name in names)

    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {rule(light=False)} }} }}"
    return f"\n:root {{ color-scheme: light dark; {rule(light=True)} }}\n{dark}\n"


# --- what is drawn where


def _plan(title: str, transitions: Sequence[Transition]) -> _Plan:
    between = [source for trigger, source, _ in transitions if trigger == START]
    states = list(dict.fromkeys(state for _, source, dest in transitions for state in (source, dest)))
    in_round = [state for state in states if state not in between]
    ends = [rest for rest in between if _ends_rounds(rest, transitions, in_round)]
    others = [rest for rest in between if rest not in ends]
    last = max(len(in_round), len(between)) - len(ends)
    rests = {rest: row for row, rest in enumerate(others)} | {rest: last + row for row, rest in enumerate(ends)}
    plan = _Plan(title, rests, {state: row for row, state in enumerate(in_round)})
    for (trigger, dest), sources in sources_of(transitions).items():
        _place(plan, trigger_words(trigger), dest, sources)
    return plan


def _ends_rounds(rest: str, transitions: Sequence[Transition], in_round: Sequence[str]) -> bool:
    return any(dest == rest and source in in_round for _, source, dest in transitions)


def _place(plan: _Plan, trigger: str, dest: str, sources: Sequence[str]) -> None:
    if len(sources) <= MOST_ARROWS:
        for source in sources:
            plan.steps.setdefault((source, dest), []).append(trigger)
        return
    from_rests = [source for source in sources if source in plan.rests]
    from_round = [source for source in sources if source in plan.round]
    if dest in plan.round:
        if from_rests:
            plan.into_round.setdefault(dest, []).append(trigger)
        if from_round:
            plan.notes.setdefault(dest, []).append(say("{trigger}: from any state of the round", trigger=trigger))
        return
    if from_round:
        plan.out_of_round.setdefault(dest, []).append(trigger)
    if from_rests:
        missing = [rest for rest in plan.rests if rest not in from_rests and rest != dest]
        if from_round:
            note = say("{trigger}: also between rounds", trigger=trigger)
        elif len(missing) == 1:
            note = say("{trigger}: from any here but {state}", trigger=trigger, state=state_words(missing[0]))
        else:
            note = say("{trigger}: from any here", trigger=trigger)
        plan.notes.setdefault(dest, []).append(note)


def _description(plan: _Plan) -> Iterator[str]:
    yield say("A round goes through: {states}.", states=say(", then ").join(map(state_words, plan.round)))
    yield say("Between rounds: {states}.", states=", ".join(map(state_words, plan.rests)))
    for dest, triggers in plan.into_round.items():
        led = say(" or ").join(triggers)
        yield say("From between rounds, {triggers} leads to {state}.", triggers=led, state=state_words(dest))
    for dest, triggers in plan.out_of_round.items():
        led = say(" or ").join(triggers)
        yield say("From any state of the round, {triggers} leads to {state}.", triggers=led, state=state_words(dest))


# --- the drawing


def _y(row: int) -> int:
    return _TOP + row * _ROW


def _frames(plan: _Plan) -> Iterator[str]:
    for x, head in ((_LEFT, say("Between rounds")), (_RIGHT, say("A round"))):
        width, height = _BOX_WIDTH + 2 * _PAD, plan.height - _TOP + _PAD - 10
        if x == _RIGHT and any(_beside_the_round(plan, *step) for step in plan.steps):
            width += 3 * _LANE
        yield f'<rect class="d-frame" x="{x - _PAD}" y="{_TOP - _PAD}" width="{width}" height="{height}" rx="10"/>'
        yield f'<text class="d-head" x="{x - _PAD}" y="{_TOP - _PAD - 10}">{head}</text>'


def _boxes(plan: _Plan) -> Iterator[str]:
    for x, rows, kind in ((_LEFT, plan.rests, "d-box d-rest"), (_RIGHT, plan.round, "d-box")):
        for state, row in rows.items():
            yield from _box(x, _y(row), kind, state_words(state), plan.notes.get(state, []))


def _box(x: int, y: int, kind: str, name: str, notes: Sequence[str]) -> Iterator[str]:
    middle = x + _BOX_WIDTH // 2
    name_at, note_at = ((31, 0), (24, 42), (17, 32))[min(len(notes), 2)]
    yield f'<rect class="{kind}" x="{x}" y="{y}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="8"/>'
    yield f'<text class="d-name" x="{middle}" y="{y + name_at}">{escape(name)}</text>'
    for number, note in enumerate(notes):
        yield f'<text class="d-note" x="{middle}" y="{y + note_at + 13 * number}">{escape(note)}</text>'


def _arrows(plan: _Plan) -> Iterator[str]:
    for dest, triggers in plan.into_round.items():
        y = _y(plan.round[dest]) + _BOX_HEIGHT // 2
        yield _arrow(f"M{_LEFT + _BOX_WIDTH + _PAD} {y} H{_RIGHT - 2}")
        yield _label(_middle(), y - 7, triggers, "d-middle")
    for dest, triggers in plan.out_of_round.items():
        y = _y(plan.rests[dest]) + _BOX_HEIGHT // 2
        yield _arrow(f"M{_RIGHT - _PAD} {y} H{_LEFT + _BOX_WIDTH + 2}")
        yield _label(_middle(), y - 7, triggers, "d-middle")
    lanes = {"round": 0, "across": 0}
    for (source, dest), triggers in plan.steps.items():
        if _is_next(plan, source, dest):
            yield from _down(plan, source, triggers)
            continue
        kind = "round" if _beside_the_round(plan, source, dest) else "across"
        lanes[kind] += 1
        yield from _beside(plan, source, dest, triggers, lanes[kind])


def _middle() -> int:
    return (_LEFT + _BOX_WIDTH + _RIGHT) // 2


def _is_next(plan: _Plan, source: str, dest: str) -> bool:
    rows = plan.round if source in plan.round else plan.rests
    return dest in rows and rows[dest] == rows[source] + 1


def _beside_the_round(plan: _Plan, source: str, dest: str) -> bool:
    return source in plan.round and dest in plan.round and not _is_next(plan, source, dest)


def _down(plan: _Plan, source: str, triggers: Sequence[str]) -> Iterator[str]:
    x, rows = (_RIGHT, plan.round) if source in plan.round else (_LEFT, plan.rests)
    middle, y = x + _BOX_WIDTH // 2, _y(rows[source])
    yield _arrow(f"M{middle} {y + _BOX_HEIGHT} V{y + _ROW - 2}")
    yield _label(middle + 9, y + _BOX_HEIGHT + 23, triggers)


def _beside(plan: _Plan, source: str, dest: str, triggers: Sequence[str], lane: int) -> Iterator[str]:
    """An arrow to a state that is not the next one.

    It runs beside the boxes, or across from one frame to the other.
    """
    start = _RIGHT if source in plan.round else _LEFT
    end = _RIGHT if dest in plan.round else _LEFT
    from_y = _y((plan.round | plan.rests)[source]) + _BOX_HEIGHT // 2 + 8
    to_y = _y((plan.round | plan.rests)[dest]) + _BOX_HEIGHT // 2 + 8
    if start == end:
        edge = start + _BOX_WIDTH
        out = edge + (_LANE if start == _LEFT else _LANE * min(lane, 3))
        yield _arrow(f"M{edge} {from_y} H{out} V{to_y} H{edge + 2}")
        yield _label(out - 4, (from_y + to_y) // 2, triggers, "d-end")
        return
    turn = _LEFT + _BOX_WIDTH + 2 * _PAD + _LANE * (lane % 6)
    if start == _LEFT:
        yield _arrow(f"M{_LEFT + _BOX_WIDTH} {from_y} H{turn} V{to_y} H{_RIGHT - 2}")
        yield _label(turn + 5, to_y - 7, triggers)
    else:
        yield _arrow(f"M{_RIGHT} {from_y} H{turn} V{to_y} H{_LEFT + _BOX_WIDTH + 2}")
        yield _label(turn + 5, from_y - 7, triggers)


def _arrow(path: str) -> str:
    return f'<path class="d-arrow" d="{path}" marker-end="url(#d-tip)"/>'


def _label(x: int, y: int, triggers: Sequence[str], kind: str = "") -> str:
    return f'<text class="d-label {kind}" x="{x}" y="{y}">{escape(", ".join(triggers))}</text>'.replace(' "', '"')
