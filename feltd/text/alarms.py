"""Every kind of alarm in one table: its cause, its consequence, the action to take, its priority and its group.

The page, its API and `docs/alarms.md` take them from here. A ruling's alarm has its irregularity as its kind: all of
these share a row, since the ruling itself says what happened and what is due. Terms are those of ISA-18.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from feltd.text.catalogue import catalogue
from feltd.text.language import Language, spoken
from table_fsm.felt import SHELVABLE, SHELVED_MINUTES_MOST, AlarmKind, FaultKind, Worded
from table_fsm.rulebook.irregularities import Irregularity


class Priority(Worded):
    """How soon a person must act, the soonest first."""

    HIGH = "high", "High: act now, play is stopped or cannot be trusted"
    MEDIUM = "medium", "Medium: act in this round, somebody waits"
    LOW = "low", "Low: act before the next round or level"


class Group(Worded):
    """What alarms have in common: one look and one action serve all alarms of a kind in a group."""

    RECORD = "record", "Controller and record"
    SHOE = "shoe", "Shoe"
    BOX = "box", "Drop box"
    DEVICES = "devices", "Devices"
    RULINGS = "rulings", "Rulings"
    PLAYERS = "players", "Players and seats"
    TOURNAMENT = "tournament", "Tournament"


class Condition(Worded):
    """Something that calls for a person and is no alarm of the table's own: the page tells it."""

    RULING_WAITS = "ruling_waits", "A ruling waits for a decision"
    RECORD_STOPPED = "record_stopped", "The record cannot be kept"
    RECORD_PUT_BACK = "record_put_back", "The record was put back to an older state"
    TABLE_CANNOT_START = "table_cannot_start", "The table cannot start"
    NOT_LIVE = "not_live", "The page has no connection"
    BOX_MISSING = "box_missing", "The drop box is missing"
    BOX_NOT_LOCKED = "box_not_locked", "The drop box is not locked"
    GATE_LOCKED = "gate_locked", "The gate of the shoe is locked"
    HAND_NOT_RELEASED = "hand_not_released", "The next hand is not released"
    DEVICE_FAULT = "device_fault", "A device reports a fault"
    TEST_MODE = "test_mode", "Test mode"


Kind: TypeAlias = AlarmKind | FaultKind | Condition


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """What the staff is told of one kind of alarm.

    `many`: the words for several alarms of the kind at once, with the likely common cause; `{}` is their number. Empty
    where several have no common cause. `stops`: while its cause lasts, no card may be dealt.
    """

    priority: Priority
    group: Group
    cause: str
    consequence: str
    action: str
    many: str = ""
    stops: bool = False


_UNREAD: Final = "Cards that come to the zone or leave it are not seen. What lay there counts as lying there."
_MANY_UNREAD: Final = "{} zones are not read: look at the supply and the bus of their reader"
_GATE: Final = "The gate of the shoe locks. The round waits."


def _of_shoe(cause: str, action: str) -> AlarmRow:
    return AlarmRow(Priority.HIGH, Group.SHOE, cause, _GATE, action, stops=True)


ALARMS: Final[Mapping[Kind, AlarmRow]] = MappingProxyType(
    {
        FaultKind.JAM: _of_shoe(
            "A card is stuck in the shoe.", "Stop dealing. Free the card in the supervisor's sight. Decide on the card."
        ),
        FaultKind.MISFEED: _of_shoe(
            "The shoe was asked for a card and gave none.", "Check the cards in the shoe and feed them anew."
        ),
        FaultKind.DOUBLE_FEED: _of_shoe(
            "Two cards left the shoe together.", "Hold both cards. The supervisor decides on them."
        ),
        FaultKind.POWER: _of_shoe("The shoe's supply fails.", "Check the shoe's plug and its supply."),
        FaultKind.MOTOR: _of_shoe("The shoe's motor does not turn.", "Take the shoe out of use. Call the technician."),
        FaultKind.SENSOR: _of_shoe(
            "A sensor of the shoe gives no sound reading.", "Clean the shoe's sensors. Else call the technician."
        ),
        FaultKind.CARDS_DAMAGED: _of_shoe(
            "The shoe has found a damaged card.", "Have the deck checked. Replace the deck."
        ),
        FaultKind.SHUFFLE_FAILED: _of_shoe(
            "The shoe did not finish its shuffle.", "Take the cards out and shuffle them anew."
        ),
        FaultKind.LID_OPEN: _of_shoe(
            "The lid of the shoe is open.", "Close the lid. If nobody of the staff opened it, have the deck checked."
        ),
        FaultKind.COMMS: _of_shoe(
            "The electronics of the shoe do not answer.", "Switch the shoe off and on. Else call the technician."
        ),
        AlarmKind.DEVICE_OFFLINE: AlarmRow(
            Priority.HIGH,
            Group.DEVICES,
            "The controller has no connection to the device. Its line on the page Devices says why.",
            "If the rulebook needs the device, the gate of the shoe locks and the round waits. Else play goes on.",
            "Check the device's plug and its supply. The page Devices names the fault.",
            many="{} devices offline: check the USB hub and its supply",
        ),
        AlarmKind.CONTROLLER_FAULT: AlarmRow(
            Priority.HIGH,
            Group.RECORD,
            "A fault of the program: an event could not be worked out. It is in the record.",
            "Play goes on. The rulings on that event may be incomplete.",
            "Call the supervisor: check the round by hand. Report the record's entry to the maker.",
        ),
        AlarmKind.FLOOR_CALLED: AlarmRow(
            Priority.MEDIUM,
            Group.PLAYERS,
            "The dealer or a player called the floor.",
            "Somebody waits at the table.",
            "Go to the table.",
            many="{} calls for the floor: go to the table",
        ),
        AlarmKind.CLOCK_ASKED: AlarmRow(
            Priority.MEDIUM,
            Group.PLAYERS,
            "A player asked for a clock on another player.",
            "The clock runs only once a supervisor confirms it.",
            "Go to the table and confirm the clock, or play on.",
        ),
        AlarmKind.SEAT_LEFT: AlarmRow(
            Priority.LOW,
            Group.PLAYERS,
            "A player has been away from the seat for longer than the rulebook allows.",
            "The seat and its chips stay at the table.",
            "Decide on the seat: the player is back, or the seat is cleared.",
            many="{} players have been away too long: decide on their seats",
        ),
        AlarmKind.SEAT_IDLE: AlarmRow(
            Priority.LOW,
            Group.PLAYERS,
            "A player has not wagered for several rounds while all seats are taken.",
            "The seat is blocked for others.",
            "Ask the player to wager or to leave the seat.",
            many="{} seats idle: ask their players to wager or to leave",
        ),
        AlarmKind.RUN_TWICE_UNFINISHED: AlarmRow(
            Priority.MEDIUM,
            Group.RULINGS,
            "The cards were collected before the agreed second board was dealt.",
            "The pots were settled by one board.",
            "Go to the table: settle the pots by the house's rule.",
        ),
        AlarmKind.ENTRANT_ABSENT: AlarmRow(
            Priority.LOW,
            Group.TOURNAMENT,
            "An entrant had not taken the seat at the end of the last level to do so.",
            "The entrant's stack is still at the table.",
            "The director decides: take the stack out, or seat the entrant.",
            many="{} entrants absent: decide on their stacks",
        ),
        AlarmKind.FREEZE_OUT_LEFT: AlarmRow(
            Priority.MEDIUM,
            Group.TOURNAMENT,
            "A player left a freeze-out with chips.",
            "The rules ask for the reasons of a management representative.",
            "Write down the reasons before the chips are moved.",
        ),
        AlarmKind.FREEZE_OUT_BANK_CHANGED: AlarmRow(
            Priority.MEDIUM,
            Group.TOURNAMENT,
            "Chips were added to a player's bank in a freeze-out, or taken from it.",
            "The bank no longer agrees with the chips that were won and lost.",
            "Count the player's chips and put the bank right.",
        ),
        AlarmKind.RACE_UNDECIDED: AlarmRow(
            Priority.MEDIUM,
            Group.TOURNAMENT,
            "A chip race cannot be decided by its cards.",
            "The new chips are not handed out.",
            "The director says who wins.",
        ),
        AlarmKind.ZONE_ANTENNA: AlarmRow(
            Priority.MEDIUM,
            Group.DEVICES,
            "A reader does not see the card that is fixed to an antenna: the antenna or its wire is broken, or metal "
            "lies on it.",
            _UNREAD,
            "Take metal off the zone. Else the technician looks at the antenna and its wire.",
            many=_MANY_UNREAD,
        ),
        AlarmKind.ZONE_CHIP: AlarmRow(
            Priority.MEDIUM,
            Group.DEVICES,
            "A reader chip does not answer, or answers nonsense.",
            _UNREAD,
            "The technician looks at the chip's supply and its bus.",
            many=_MANY_UNREAD,
        ),
        AlarmKind.ZONE_MULTIPLEXER: AlarmRow(
            Priority.MEDIUM,
            Group.DEVICES,
            "The multiplexer between a reader and its antennas does not answer.",
            _UNREAD,
            "The technician looks at the multiplexer's supply and its address.",
            many=_MANY_UNREAD,
        ),
        AlarmKind.ZONE_TANGLED: AlarmRow(
            Priority.MEDIUM,
            Group.DEVICES,
            "Several cards answer at once and the reader cannot tell them apart.",
            _UNREAD,
            "Spread the cards of the zone. If it comes often, the technician tunes the antenna.",
        ),
        AlarmKind.ZONE_STRANGER: AlarmRow(
            Priority.MEDIUM,
            Group.DEVICES,
            "Something with a chip that is no card lies on an antenna: a phone, a bank card.",
            "It is taken for no card. Beside it cards may be read badly.",
            "Take it away.",
        ),
        AlarmKind.ZONE_WEAK: AlarmRow(
            Priority.MEDIUM,
            Group.DEVICES,
            "A card that lay in the zone answers now and then, or no more since another one lies on it.",
            "It counts as still lying there until the reader can tell.",
            "Spread the cards of the zone. If it comes often, the technician tunes the antenna.",
        ),
        Condition.RULING_WAITS: AlarmRow(
            Priority.MEDIUM,
            Group.RULINGS,
            "An irregularity was found and the rulebook leaves the decision to a person.",
            "The round waits, or goes on as the ruling says.",
            "Open the ruling and decide: its buttons say what they do.",
        ),
        Condition.RECORD_STOPPED: AlarmRow(
            Priority.HIGH,
            Group.RECORD,
            "The controller's disk is full or fails, or the record was closed.",
            "No event is taken. The gate of the shoe locks. Devices keep what they report.",
            "Stop dealing. Free room on the disk or call the technician; the record goes on by itself.",
            stops=True,
        ),
        Condition.RECORD_PUT_BACK: AlarmRow(
            Priority.HIGH,
            Group.RECORD,
            "A device remembers events that are in the record no more; or the record is gone, and a new one has begun.",
            "The gate of the shoe locks. What is shown may be an old state of the table.",
            "Stop dealing. Find out who changed the disk. A technician accepts it on the page Devices.",
            stops=True,
        ),
        Condition.TABLE_CANNOT_START: AlarmRow(
            Priority.HIGH,
            Group.RECORD,
            "The table's file, its keys or its record cannot be used. The page names the fault.",
            "Nothing is played. The display shows OUT OF ORDER.",
            "Call the technician. `feltd check` on the controller names each fault and its remedy.",
            stops=True,
        ),
        Condition.NOT_LIVE: AlarmRow(
            Priority.HIGH,
            Group.RECORD,
            "The network between this browser and the table is cut, or the controller is off.",
            "The page shows an old state. The table itself plays on.",
            "Believe the table's own display and lamps. Check the network and the controller.",
        ),
        Condition.BOX_MISSING: AlarmRow(
            Priority.HIGH,
            Group.BOX,
            "The drop box is not in its place.",
            _GATE,
            "Put the drop box in its place and lock it.",
            stops=True,
        ),
        Condition.BOX_NOT_LOCKED: AlarmRow(
            Priority.HIGH, Group.BOX, "The drop box is in its place and not locked.", _GATE, "Lock it.", stops=True
        ),
        Condition.GATE_LOCKED: AlarmRow(
            Priority.HIGH,
            Group.SHOE,
            "The table is not ready for a card and has no other alarm about it.",
            "No card leaves the shoe.",
            "Do what the prompt says. If it says nothing, call the technician.",
            stops=True,
        ),
        Condition.HAND_NOT_RELEASED: AlarmRow(
            Priority.MEDIUM,
            Group.TOURNAMENT,
            "Tables play hand for hand, and this one is done.",
            "The table waits for the others.",
            "The director releases the next hand once all tables are done.",
        ),
        Condition.DEVICE_FAULT: AlarmRow(
            Priority.LOW,
            Group.DEVICES,
            "A device sent what it may not send, was replaced, or lacks events.",
            "What it reported wrongly is not taken. The lamp of faults is lit.",
            "Open the page Devices: the device's line has the fault and its button.",
        ),
        Condition.TEST_MODE: AlarmRow(
            Priority.HIGH,
            Group.DEVICES,
            "A technician tests devices.",
            _GATE,
            "Wait for the technician. Test mode ends on the page Devices.",
            stops=True,
        ),
    }
)


def row_of(kind: str) -> AlarmRow:
    """Return the row of an alarm by its kind, as the table's outputs name it.

    An irregularity, and a kind that a later version wrote into the record, have the row of a waiting ruling.
    """
    for members in (AlarmKind, FaultKind, Condition):
        if kind in frozenset(members):
            return ALARMS[members(kind)]
    return ALARMS[Condition.RULING_WAITS]


def row_text(english: str) -> str:
    """Return a text of a row in the language that is spoken. Its number, where it has one, is not filled in."""
    return english if spoken() is Language.ENGLISH else str(catalogue(spoken(), "sentences").get(english, english))


# ---- docs/alarms.md

_HEAD: Final = """# Alarms

`python -m tests.alarms_page` writes this page from the program's own table, `feltd/text/alarms.py`.
Terms are those of ISA-18.2 (IEC 62682).

| priority | shape | meaning |
| --- | --- | --- |
"""
_SHELVING: Final = f"""\
A supervisor or director may shelve an alarm whose cause is known and cannot end soon: for at most
{SHELVED_MINUTES_MOST // 60} hours, with a reason. Until then it does not escalate, sound or light a lamp; what
comes of the same kind at the same seat or device meanwhile is shelved too. Every page shows what is shelved, by
whom and until when, and anybody who may decide can end it. When the time is over it comes back by itself. The
decision is in the record, and the alarm log has it with its reason, once the round is over in which it was
given. An alarm of high priority, of the shoe or of a ruling cannot be shelved."""
_OF_RULINGS: Final = """\
## Rulings that wait

The alarm of a ruling that waits has the row `ruling_waits` above. Its kind is the irregularity:

| kind | irregularity |
| --- | --- |"""
SHAPES: Final[Mapping[Priority, str]] = MappingProxyType({Priority.HIGH: "■", Priority.MEDIUM: "▲", Priority.LOW: "▼"})
"""How the page marks a priority, beside its colour and its place in the list."""


def alarms_page() -> str:
    """Return the text of `docs/alarms.md`."""
    lines = [_HEAD.rstrip("\n")]
    lines += [f"| {one} | {SHAPES[one]} | {one.words.partition(': ')[2]} |" for one in Priority]
    lines += ["", *_SHELVING.splitlines()]
    for group in Group:
        lines += [
            "",
            f"## {group.words}",
            "",
            "| alarm | priority | cause | consequence | action |",
            "|" + " --- |" * 5,
        ]
        rows = [(kind, row) for kind, row in ALARMS.items() if row.group is group]
        for kind, row in sorted(rows, key=lambda one: list(Priority).index(one[1].priority)):
            name = f"{kind.words[:1].upper()}{kind.words[1:]} (`{kind}`)"
            stop = " **Stops play.**" if row.stops else ""
            shelved = " May be shelved." if kind in SHELVABLE else ""
            many = f" Several at once: “{row.many.format('N')}”." if row.many else ""
            lines.append(
                f"| {name} | {SHAPES[row.priority]} {row.priority} | {row.cause} | {row.consequence}{stop}"
                f" | {row.action}{many}{shelved} |"
            )
    lines += ["", *_OF_RULINGS.splitlines()]
    lines += [f"| `{kind}` | {kind.words} |" for kind in sorted(Irregularity)]
    return "\n".join(lines) + "\n"
