"""The draw's part: what is committed to, who is kept apart, and the seed of the seats once they are drawn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draw:
    """The draw's part.

    `commitment`: the SHA-256 of the next secret: the one that was committed to, then each secret that was told. `seed`:
    of the first draw, hexadecimal, once its secret is told.
    """

    commitment: str | None = None
    groups: tuple[tuple[str, ...], ...] = ()
    seed: str | None = None
