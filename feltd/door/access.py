"""What the page tells the table for its record: sign-ins, ends of sessions, failures, exports. The entries:
`feltd.record.access`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from feltd.door.bounds import Count, Many, Moment, Text
from feltd.record.access import AccessKind, AccountChange, Part, SessionEnd

FACTS_MOST: Final = 32
"""Facts in one message."""
NAMES_MOST: Final = 8
"""Accounts that one fact of failures names."""
SCOPE_MOST: Final = 16
"""Rights in the scope of a token."""
TEXT_MOST: Final = 64
"""Characters of a text in a fact."""
SESSIONS_AT_ONCE: Final = 256
SESSIONS_A_MINUTE: Final = 4.0
"""Entries of sessions that the table takes without a pause, and in each minute beyond that."""
FAILURES_AT_ONCE: Final = 32
FAILURES_A_MINUTE: Final = 1.0
EXPORTS_AT_ONCE: Final = 60
EXPORTS_A_MINUTE: Final = 6.0
_Text = Annotated[str, Text(TEXT_MOST)]


@dataclass(frozen=True, slots=True)
class AccessFact:
    """One thing that happened at the page. The fields are those of `feltd.record.access`.

    `n`: the page's number for it, each higher than the one before; a number that the table has is passed over.
    """

    n: Count
    what: AccessKind
    at: Moment
    who: _Text | None = None
    role: _Text | None = None
    address: _Text | None = None
    how: SessionEnd | None = None
    times: Count = 1
    since: Moment | None = None
    names: Annotated[Mapping[_Text, Count], Many(NAMES_MOST)] = field(default_factory=dict)
    unknown: Count = 0
    turned_away: Count = 0
    left_out: Annotated[Mapping[_Text, Count], Many(len(AccessKind))] = field(default_factory=dict)
    change: AccountChange | None = None
    token: _Text | None = None
    token_role: _Text | None = None
    scope: Annotated[tuple[_Text, ...], Many(SCOPE_MOST)] = ()
    until: Moment | None = None


@dataclass(frozen=True, slots=True)
class ExportFact:
    """A part of the record that is about to be handed out. `cards`: with cards that lay face down.

    `since`, `until`: of which time a list is; None does not limit.
    """

    of: Part
    at: Moment
    round: Count | None = None
    first: Count | None = None
    last: Count | None = None
    cards: bool | None = None
    since: Moment | None = None
    until: Moment | None = None
