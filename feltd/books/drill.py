"""Drills: a round as a story, with what the table must answer between its lines.

A drill is JSON Lines. The first line is its header: `title`; `rows`, the rules it shows; and `step`, seconds, where
events may leave out their `t` (each then comes a step after the one before). Then events, and lines
`{"expect": [pattern, …]}`. Empty lines and lines that begin with `#` are skipped.

An `expect` speaks of the outputs since the `expect` before it: each pattern matches one of them, in their order; a key
that a pattern does not name is free. A `ruling` or an `error` that no pattern matches is a false alarm, and fails. At
the end an `{"expect": []}` is understood.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json, to_json

from feltd.books.replay import Player, is_skipped, to_line, unknown_event
from feltd.text.errors import FeltdError
from table_fsm.errors import EventSyntaxError, UnknownEventError
from table_fsm.events import parse_with_unknown
from table_fsm.outputs import Kind, Output
from toml_text.words import did_you_mean

MUST_BE_EXPECTED: Final = frozenset({Kind.RULING, Kind.ERROR})
_KINDS: Final = frozenset(kind.value for kind in Kind)

Pattern = Mapping[str, Any]
MakeTable = Callable[[Mapping[str, Any]], Player]


class DrillSyntaxError(FeltdError):
    """A file that is no drill. `line` counts from 1."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Deviation:
    """An `expect` that the table did not meet.

    `missing`: its patterns from the first that nothing matched; `unexpected`: rulings and errors that nothing expects;
    `got`: the relevant outputs.
    """

    line: int
    expected: tuple[Pattern, ...]
    missing: tuple[Pattern, ...]
    unexpected: tuple[dict[str, Any], ...]
    got: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class DrillResult:
    """The result of one drill."""

    path: Path
    title: str
    rows: tuple[str, ...]
    deviations: tuple[Deviation, ...]

    @property
    def passed(self) -> bool:
        """Whether the table answered as expected, and raised no false alarm."""
        return not self.deviations

    def __str__(self) -> str:
        """The drill, and each deviation, as a person reads it."""
        return "\n".join(_report(self))


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    title: str = Field(min_length=1)
    rows: list[str] = Field(min_length=1)
    step: float | None = Field(default=None, gt=0)


@dataclass(slots=True)
class _Span:
    """The outputs since the last `expect`."""

    outputs: list[dict[str, Any]] = field(default_factory=list)

    def judge(self, line: int, patterns: Sequence[Pattern]) -> Deviation | None:
        outputs, self.outputs = self.outputs, []
        if fits(patterns, outputs):
            return None
        matched, missing = _furthest(patterns, outputs)
        must = [out for n, out in enumerate(outputs) if n not in matched and _must_be_expected(out)]
        kinds = {key for pattern in patterns for key in pattern if key in _KINDS} | MUST_BE_EXPECTED
        got = [out for out in outputs if kinds & out.keys()]
        return Deviation(line, tuple(patterns), tuple(missing), tuple(must), tuple(got))


def find_drills(paths: Sequence[Path]) -> list[Path]:
    """Return the drills among `paths`: each file, and by name each `*.jsonl` below a folder.

    Raises FeltdError where a path is not there or a folder holds no drill.
    """
    drills: list[Path] = []
    for path in paths:
        if not path.exists():
            raise FeltdError(f"{path}: no such file or folder")
        inside = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
        if not inside:
            raise FeltdError(f"{path}: no drill in this folder: drills are files that end in .jsonl")
        drills += inside
    return list(dict.fromkeys(drills))


def run_drill(path: Path, rulebooks: Mapping[str, Any], make_table: MakeTable | None = None) -> DrillResult:
    """Play one drill on a table of its own.

    `make_table`: other than `table_fsm`'s Table. Raises DrillSyntaxError.
    """
    lines = list(_lines(path))
    if not lines:
        raise DrillSyntaxError(path, 1, 'empty; the first line is {"title": …, "rows": [ … ]}')
    header = _header(path, *lines[0])
    table = (make_table or _own_table)(rulebooks)
    span, deviations, t = _Span(), [], None
    number = lines[0][0]
    for number, line, raw in lines[1:]:
        if "expect" in raw:
            deviations.append(span.judge(number, _patterns(path, number, raw)))
            continue
        if header.step is not None:
            line, t = _in_step(line, raw, header.step, t)
        span.outputs += [from_json(to_line(output)) for output in _outputs(path, number, line, table)]
    deviations.append(span.judge(number, ()))
    found = tuple(deviation for deviation in deviations if deviation is not None)
    return DrillResult(path, header.title, tuple(header.rows), found)


def _own_table(rulebooks: Mapping[str, Any]) -> Player:
    from table_fsm.table import Table

    return Table(rulebooks)


def _lines(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Number, text and object of each line that is not empty or a comment."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise FeltdError(f"{path}: cannot be read: {fault.strerror}") from None
    for number, line in enumerate(content.split(b"\n"), 1):
        if is_skipped(line):
            continue
        try:
            raw = from_json(line)
        except ValueError as fault:
            raise DrillSyntaxError(path, number, f"not JSON: {fault}") from None
        if not isinstance(raw, dict):
            raise DrillSyntaxError(path, number, "not a JSON object: write a header, an event or an expect")
        yield number, line, raw


def _header(path: Path, number: int, line: bytes, raw: dict[str, Any]) -> _Header:
    try:
        return _Header.model_validate(raw)
    except ValidationError as faults:
        faults_in_words = "; ".join(f"`{'.'.join(map(str, f['loc']))}`: {f['msg'].lower()}" for f in faults.errors())
        raise DrillSyntaxError(
            path, number, f'the first line is the header {{"title", "rows", "step"}}: {faults_in_words}'
        ) from None


def _patterns(path: Path, number: int, raw: dict[str, Any]) -> list[Pattern]:
    patterns = raw["expect"]
    if len(raw) > 1 or not isinstance(patterns, list) or not all(isinstance(p, dict) for p in patterns):
        raise DrillSyntaxError(path, number, 'an expect is {"expect": [ {…}, … ]}, and nothing beside')
    for pattern in patterns:
        if _KINDS & pattern.keys():
            continue
        word = next(iter(pattern), "")
        raise DrillSyntaxError(
            path, number, f'a pattern names an output by one of its keys; "{word}" is none{did_you_mean(word, _KINDS)}'
        )
    return patterns


def _in_step(line: bytes, raw: dict[str, Any], step: float, before: float | None) -> tuple[bytes, float | None]:
    """The line with its time, and that time.

    It is the line's own time, or a step after the one before; the first is at 0.
    """
    own = raw.get("t")
    if own is not None:
        return line, float(own) if isinstance(own, int | float) else before
    t = 0.0 if before is None else round(before + step, 6)
    return to_json({"t": t, **{key: value for key, value in raw.items() if key != "t"}}), t


def _outputs(path: Path, number: int, line: bytes, table: Player) -> list[Output]:
    try:
        event, unread = parse_with_unknown(line)
    except UnknownEventError as unknown:
        return [unknown_event(unknown)]
    except EventSyntaxError as fault:
        raise DrillSyntaxError(path, number, str(fault)) from None
    if unread:
        raise DrillSyntaxError(path, number, f'{event.ev}: nothing reads the field "{unread[0]}"')
    return table.apply(event)


def fits(patterns: Sequence[Pattern], outputs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each pattern matches one output, in order, and no ruling or error is left over."""
    # below[p]: whether the patterns from p on fit the outputs after the one looked at, last to first
    below = [False] * len(patterns) + [True]
    for output in reversed(outputs):
        must = _must_be_expected(output)
        below = [
            (p < len(patterns) and below[p + 1] and matches(patterns[p], output)) or (below[p] and not must)
            for p in range(len(patterns) + 1)
        ]
    return below[0]


def matches(pattern: Any, value: Any) -> bool:
    """Whether a value matches a pattern.

    Objects match by the keys the pattern names, lists item by item, all else by equality. A key that is null in the
    pattern may be null in the object, or not there.
    """
    if isinstance(pattern, Mapping):
        return isinstance(value, Mapping) and all(matches(inner, value.get(key)) for key, inner in pattern.items())
    if isinstance(pattern, list):
        same = isinstance(value, list | tuple) and len(pattern) == len(value)
        return same and all(matches(inner, item) for inner, item in zip(pattern, value, strict=True))
    if isinstance(pattern, bool) or isinstance(value, bool):
        return pattern is value
    return bool(pattern == value)


def _must_be_expected(output: Mapping[str, Any]) -> bool:
    return not MUST_BE_EXPECTED.isdisjoint(output)


def _furthest(patterns: Sequence[Pattern], outputs: Sequence[Mapping[str, Any]]) -> tuple[set[int], Sequence[Pattern]]:
    """The outputs matched when each pattern takes the first it can, and the patterns left."""
    taken: set[int] = set()
    at = 0
    for number, pattern in enumerate(patterns):
        place = next((n for n in range(at, len(outputs)) if matches(pattern, outputs[n])), None)
        if place is None:
            return taken, patterns[number:]
        taken.add(place)
        at = place + 1
    return taken, ()


def _report(result: DrillResult) -> Iterator[str]:
    yield f"{'ok    ' if result.passed else 'FAILED'} {result.title} ({'; '.join(result.rows)})"
    for deviation in result.deviations:
        yield f"  {result.path}:{deviation.line}"
        yield from _listed("expected", deviation.expected)
        if deviation.missing:
            yield f"    nothing matched: {_shown(deviation.missing[0])}"
        for output in deviation.unexpected:
            yield f"    nobody expected: {_shown(output)}"
        yield from _listed("got", deviation.got)


def _listed(title: str, items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"    {title}:{'' if items else ' nothing'}"
    for item in items:
        yield f"      {_shown(item)}"


def _shown(item: Mapping[str, Any]) -> str:
    return to_json(dict(item)).decode()
