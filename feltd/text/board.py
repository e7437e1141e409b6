"""What may be wrong with the computer under a table, by name, and what to do about it."""

from typing import assert_never

from feltd.text.catalogue import say
from table_fsm.felt import Worded


class BoardTrouble(Worded):
    """A trouble of the computer itself, not of the table or a device."""

    SUPPLY_LOW = "supply_low", "The controller's supply is too low now"
    SUPPLY_WAS_LOW = "supply_was_low", "The controller's supply has been too low since its start"
    DISK_READ_ONLY = "disk_read_only", "The disk of the record has turned read-only"
    SYNC_DOUBTED = "sync_doubted", "The disk of the record says that it has written sooner than it can"


def remedy_of(trouble: BoardTrouble) -> str:
    """Return what a technician does about it, in the reader's language."""
    match trouble:
        case BoardTrouble.SUPPLY_LOW | BoardTrouble.SUPPLY_WAS_LOW:
            return say(
                "Take the supply that the board's maker sells, and a short cable. "
                "Feed the lamps and the gate from another one."
            )
        case BoardTrouble.DISK_READ_ONLY:
            return say(
                "The system has met a fault of this disk: `dmesg` names it. "
                "Stop play, copy the record, and use another card."
            )
        case BoardTrouble.SYNC_DOUBTED:
            return say(
                "When the power fails it may lose what a device was told is recorded. "
                "Use another card, and cut its power in a trial."
            )
        case _:
            assert_never(trouble)
