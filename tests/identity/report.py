"""What the comparison says to a person."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.identity.compare import Compared, Difference


def lines_of(compared: Compared, rows: Sequence[Sequence[str]] | None = None) -> Iterator[str]:
    """What came of one stream. `rows`: irregularity and text of each row of the book, to say how many were met."""
    statistics = compared.statistics
    verdict = "same" if compared.difference is None else f"DIFFERENT at event {compared.difference.number}"
    yield f"{compared.name}: {verdict}"
    rulings = statistics["rulings"]
    yield (
        f"  {statistics['events']} events of {len(statistics['kinds'])} kinds, {statistics['rounds']} rounds, "
        f"{sum(rulings.values())} rulings, {statistics['refusals']} refusals, {statistics['restored']} times restored"
    )
    reached = [f"{phase} {count}" for phase, count in sorted(statistics["phases"].items()) if "halted" not in phase]
    yield f"  reached: {', '.join(reached)}"
    yield f"  irregularities: {_met(rulings, rows)}"
    for fault, count in statistics["faults"].items():
        yield f"  the table's own code failed {count} times: {fault}"
    if compared.difference is not None:
        yield from _told(compared.difference)


def _met(rulings: Mapping[str, int], rows: Sequence[Sequence[str]] | None) -> str:
    met = [json.loads(ruling) for ruling in rulings]
    kinds = {irregularity for irregularity, _ in met}
    if rows is None:
        return f"{len(kinds)}, by {len(met)} rows"
    named = {irregularity for irregularity, _ in rows} - {"*"}
    own = {tuple(row) for row in rows}
    missing = sorted(named - kinds)
    of_book = sum(tuple(pair) in own for pair in met)
    never = f"; never {', '.join(missing)}" if missing else ""
    return f"{len(kinds & named)} of the {len(named)} that the book names, by {of_book} of its {len(own)} rows{never}"


def _told(difference: Difference) -> Iterator[str]:
    old, new = difference.old, difference.new
    known = new or old
    assert known is not None
    yield f"  {known['label']}; the events before it:"
    yield from (f"    {line}" for line in known["before"])
    if old is None or new is None:
        yield f"  the {'old' if old is None else 'new'} tree's events end here; the other one has {known['event']}"
        return
    yield f"  event: {known['event']}"
    if old["event"] != new["event"]:
        yield f"  the old tree's event: {old['event']}"
    for word, told in (("old", old), ("new", new)):
        yield f"  the {word} tree's outputs:"
        yield from (f"    {line}" for line in told["outputs"] or ["none"])
    yield from _other("view", old["view"], new["view"])
    if old["indicators"] != new["indicators"]:
        yield f"  indicators, old: {old['indicators']}"
        yield f"  indicators, new: {new['indicators']}"


def _other(word: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    if list(old) != list(new):
        yield f"  keys of the {word}, old: {list(old)}"
        yield f"  keys of the {word}, new: {list(new)}"
    for key in old:
        if old[key] != new.get(key):
            yield f"  {word}, {key}, old: {old[key]}"
            yield f"  {word}, {key}, new: {new.get(key)}"
