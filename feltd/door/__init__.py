"""The one way through which the page asks the table: what it may see, what it may do, in whose name.

`TableDoor` is the interface; everything that passes is a frozen value of data (JSON-ready), never an object of the
table's own. Both sides import this package, and nothing of each other.
"""

from feltd.door.access import AccessFact, ExportFact
from feltd.door.answers import Answer, NewAnswers
from feltd.door.away import Away
from feltd.door.commands import (
    Answered,
    CommandRefused,
    NotOnDiskError,
    OutOfBounds,
    Person,
    PlayStopped,
    TableAwayError,
    UnknownDeviceError,
)
from feltd.door.decisions import BadgeHolder, DecisionRequest, SeenAlarms, SignatureFacts, SignatureState, StaffMember
from feltd.door.record_rows import RecordRows
from feltd.door.state import (
    BroadcastFacts,
    DeviceState,
    GivenRuling,
    JournalFacts,
    LoopFacts,
    RefusedDecision,
    Resolution,
    RulebookInForce,
    ShownRuling,
    TableCounters,
    TableState,
    TestState,
    ToldFault,
)
from feltd.door.table_door import TableDoor
from feltd.door.trust import Trust

__all__ = [
    "AccessFact",
    "Answer",
    "Answered",
    "Away",
    "BadgeHolder",
    "BroadcastFacts",
    "CommandRefused",
    "DecisionRequest",
    "DeviceState",
    "ExportFact",
    "GivenRuling",
    "JournalFacts",
    "LoopFacts",
    "NewAnswers",
    "NotOnDiskError",
    "OutOfBounds",
    "Person",
    "PlayStopped",
    "RecordRows",
    "RefusedDecision",
    "Resolution",
    "RulebookInForce",
    "SeenAlarms",
    "ShownRuling",
    "SignatureFacts",
    "SignatureState",
    "StaffMember",
    "TableAwayError",
    "TableCounters",
    "TableDoor",
    "TableState",
    "TestState",
    "ToldFault",
    "Trust",
    "UnknownDeviceError",
]
