"""Sessions: who plays one, who goes on to the next, and who stays away."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from floor_fsm.core.event import EntryNumber, Event, Name
from floor_fsm.core.output import Output
from floor_fsm.messages.opening import TableName
from floor_fsm.play.places import Groups
from floor_fsm.play.sessions import Ties

Some = Annotated[tuple[EntryNumber, ...], Field(max_length=10_000, strict=False)]


class SessionBegan(Event):
    """A session begins as the conditions announce it: a heat, a flight, a day, the final. Its seats are drawn next.

    `entries`: who plays it; empty for all who wait for a seat or go on. Who waited and is not
    named plays a later session. `tables`: that it uses; empty for all. `advance`: how many go on from it; 0 in the last
    session, None for all who have chips at its end. `ties`: of equal counts. `repechage`: who does not go on may play a
    catch-up session; `catch_up`: this is one. `stacks`: who goes on takes the counted chips along, or begins anew.
    """

    ev: ClassVar[str] = "session.began"
    session: Name
    entries: Some = ()
    tables: Annotated[tuple[TableName, ...], Field(max_length=500, strict=False)] = ()
    advance: Annotated[int, Field(ge=0, le=10**6)] | None = None
    ties: Annotated[Ties, Field(strict=False)] = Ties.SHARED
    repechage: bool = False
    catch_up: bool = False
    stacks: Literal["carried", "anew"] = "carried"


class SessionEnded(Event):
    """The session is over: every stack is in its bag, and the clock stands.

    `drawn`: those with equal counts between whom cards were drawn, the best first.
    """

    ev: ClassVar[str] = "session.ended"
    drawn: Some = ()


class EntryStayedAway(Event):
    """Who has a session to play yet does not come: the entry is out, and its chips leave play."""

    ev: ClassVar[str] = "entry.stayed_away"
    entry: EntryNumber


@dataclass(frozen=True, slots=True)
class SessionOn(Output):
    """A session has begun for these entries; `tables`: that it uses."""

    kind: ClassVar[str] = "session"
    session: str
    entries: tuple[int, ...]
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionOver(Output):
    """A session is over. `groups`: by their counts, the best first; who goes on, may catch up, and is out."""

    kind: ClassVar[str] = "session_over"
    session: str
    groups: Groups
    advance: tuple[int, ...]
    catch_up: tuple[int, ...]
    out: tuple[int, ...]
    clause: str
