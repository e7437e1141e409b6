"""Events as lines of JSON: what is kept, sent and typed is the same."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from floor_fsm.core.event import Event
from floor_fsm.errors import EventSyntaxError
from floor_fsm.subjects import SUBJECTS


def _kinds() -> Iterator[tuple[str, type[Event]]]:
    for subject in SUBJECTS:
        for kind in subject.takes:
            yield kind.ev, kind


KINDS: Final = dict(_kinds())
"""Every event that a tournament takes, by its name."""


def to_line(event: Event) -> str:
    """Return an event as one line of JSON, without a line end."""
    said: dict[str, Any] = {"ev": event.ev, **event.model_dump(mode="json", exclude_defaults=True), "t": event.t}
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)


def from_line(line: str | bytes, kinds: Mapping[str, type[Event]] = KINDS) -> Event:
    """Return the event of a line. Raises EventSyntaxError, which says which field is wrong, and how.

    `kinds`: the events that are known, by name; those of a tournament unless told.
    """
    return from_said(said_of(line), kinds)


def said_of(line: str | bytes) -> dict[str, Any]:
    """Return what a line says, with the name of its event in "ev". Raises EventSyntaxError."""
    try:
        said = json.loads(line)
    except RecursionError:
        raise EventSyntaxError("not JSON that can be read: its brackets are too deep") from None
    except ValueError as error:
        raise EventSyntaxError(f"not JSON: {error}") from None
    if not isinstance(said, dict) or not isinstance(said.get("ev"), str):
        raise EventSyntaxError('an event is a JSON object with a text "ev"')
    return said


def from_said(said: Mapping[str, Any], kinds: Mapping[str, type[Event]] = KINDS) -> Event:
    """Return the event that `said_of` gave. Raises EventSyntaxError."""
    fields = dict(said)
    kind = kinds.get(fields.pop("ev"))
    if kind is None:
        raise EventSyntaxError(f"an event here is one of {', '.join(sorted(kinds))}")
    try:
        return kind.model_validate_json(json.dumps(fields))
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc'])) or kind.ev}: {one['msg']}" for one in error.errors()]
        raise EventSyntaxError(f"{kind.ev}: {'; '.join(faults)}") from None
