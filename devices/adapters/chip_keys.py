"""Give chips keys of their own: the step before a reader can let each prove itself."""

from enum import Enum

from devices.adapters.chip_proof import (
    MAKERS_KEY,
    NUMBER_BYTES,
    Asks,
    Chance,
    UnprovenError,
    change_key,
    is_changed,
    key_of,
    prove,
)


class Given(Enum):
    """What became of a chip. The words say what lies there, and what to do."""

    NEW = "has a key of its own now, and has proved it"
    BEFORE = "had a key of its own, and has proved it"
    STRANGE = "proves itself by neither key: it is no NTAG 424 DNA, or has a key from elsewhere. It is left as it was"
    REFUSED = "has refused the new key: lay it once more; if it refuses again, take another card"


def give_key(asks: Asks, number: bytes, secret: bytes, chance: Chance) -> Given:
    """Give the chip of this number its own key in the place of its maker's, and let it prove that. Again does no harm.

    Raises ChipLostError where it went away: nobody knows then which key it has, and to lay it once more shows it.
    """
    if len(number) != NUMBER_BYTES:
        return Given.STRANGE
    own = key_of(secret, number)
    if _has(asks, own, chance):
        return Given.BEFORE
    try:
        session = prove(asks, MAKERS_KEY, chance)
    except UnprovenError:
        return Given.STRANGE
    took = is_changed(asks(change_key(session, own)))
    return Given.NEW if took and _has(asks, own, chance) else Given.REFUSED


def _has(asks: Asks, key: bytes, chance: Chance) -> bool:
    try:
        prove(asks, key, chance)
    except UnprovenError:
        return False
    return True
