"""The draw's part: its commitment, who is kept apart, and its seed once it is told."""

from dataclasses import dataclass
from hashlib import sha256

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused


@dataclass(frozen=True, slots=True)
class Draw:
    """The draw's part. `seed`: hexadecimal, once the secret is told."""

    commitment: str | None = None
    groups: tuple[tuple[str, ...], ...] = ()
    seed: str | None = None


def seed_for_late(parts: Parts, entry: int) -> bytes:
    """Return the seed by which one more entry is seated: it follows from the draw's, so nobody chooses it.

    Raises Refused before the draw.
    """
    seed = parts.of(Draw).seed
    if seed is None:
        raise Refused(Reason.NOT_COMMITTED, "the seats are not drawn yet: who waits is seated by the draw")
    return sha256(bytes.fromhex(seed) + b"late" + entry.to_bytes(8, "big")).digest()
