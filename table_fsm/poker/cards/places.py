"""Where a card of a round may be (in a zone, out of the shoe, lifted), and how it came there."""

from dataclasses import dataclass, field
from enum import Enum


class Origin(Enum):
    """The origin of a card that came to rest in a zone."""

    SHOE = "shoe"
    LIFTED = "lifted"
    NOWHERE = "nowhere"


class Leaves(Enum):
    """Which card of a zone it may be that leaves it without a name."""

    DOWN = "down"
    """A face-down one, if there is any."""
    LAST_OPEN = "last open"
    """The open one that came last, if there is any."""
    ANY = "any"


class Doubt(Enum):
    """A doubt about a card's identity."""

    DUPLICATE = "duplicate"
    FOREIGN = "foreign"
    UNEXPECTED = "unexpected"
    """Not the card that should be there: the shoe or another reader named another one."""


@dataclass(slots=True)
class HeldCard:
    """A card in a zone.

    Its name where known, whether its face shows, and its place in the order of the deal. `doubted`: its identity was
    in doubt as it came, so that it has no name by which to be turned. `inferred`: no reader has read its name here; it
    is that of the card that was out of the shoe, or lifted. `untold`: it counts as discarded, and no reader has told it
    there. `boxed`: it left the shoe face up, as far as is known, and another card was out as it came to rest, for which
    it may have been taken. `one_of`: without a name it has one of these, since another one of them left; empty where
    that is not known. `left`: where an untold discard lay face down and had no name.
    """

    card: str | None
    up: bool
    number: int | None = None
    doubted: bool = False
    inferred: bool = False
    untold: bool = False
    left: str | None = None
    boxed: bool = False
    one_of: frozenset[str] = frozenset()

    @property
    def possible(self) -> frozenset[str]:
        """The names that readers allow it; none where they allow any."""
        if self.card is None:
            return self.one_of
        return frozenset() if self.inferred else frozenset({self.card})


@dataclass(slots=True)
class MouthCard:
    """A card out of the shoe that has not come to rest yet.

    `doubted`: its identity has been ruled on already.
    """

    card: str | None
    deck: str | None
    boxed: bool
    doubted: bool = False
    number: int | None = None


@dataclass(slots=True)
class LiftedCard:
    """A card lifted from a zone that has not come to rest again."""

    card: str | None
    zone: str
    number: int | None = None
    off_table: bool = False
    """It has left the table."""
    up: bool = False
    """It lay face up as it was lifted."""
    one_of: frozenset[str] = frozenset()
    """Without a name it is one of these; empty where that is not known."""

    @property
    def face_down_in(self) -> str | None:
        """The zone in which it lay face down without a name; None where it did not."""
        return self.zone if self.card is None and not self.up else None

    def may_be(self, card: str | None) -> bool:
        """Whether it has no name, and may have this one (None: any)."""
        return self.card is None and (card is None or not self.one_of or card in self.one_of)


@dataclass(slots=True)
class Placement:
    """The way in which a card came to a zone. Nothing changes it; a frozen one takes a microsecond longer to make.

    `zone_before`: of a lifted card, and `open_before`: it lay face up there. `boxed`: it left the shoe face up.
    `doubted`: its identity was ruled on as it did. `left`: where a discard without a name lay face
    down before it was taken up; None where it may be a card of another place.
    """

    origin: Origin
    card: str | None
    zone_before: str | None = None
    doubt: Doubt | None = None
    boxed: bool = False
    number: int | None = field(default=None, compare=False)
    doubted: bool = False
    open_before: bool = False
    left: str | None = field(default=None, compare=False)
