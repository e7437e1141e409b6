"""Face-up cards of a zone of which it is not known whether they still lie there, since one left without a name."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from table_fsm.poker.cards.places import HeldCard


@dataclass(slots=True)
class OpenInDoubt:
    """What lay in a zone as a card left it without a name that may have been one of those that lay face up.

    `cards`: those that lay face up, each with its name, None where no reader had read it. `down`: how many lay face
    down. `changed`: another card has come to the zone since, or one that left it came to rest elsewhere.
    """

    cards: list[tuple[HeldCard, str | None]] = field(default_factory=list)
    down: int = 0
    changed: bool = False

    def leave(self, candidates: Sequence[HeldCard]) -> Sequence[HeldCard]:
        """Note that one of these cards leaves, as they lie now; return them, those that lay face down first."""
        ups = [(held, held.card) for held in candidates if held.up]
        if not self.cards:
            self.down = len(candidates) - len(ups)
        elif ups:
            self.changed = True
        self.cards += ups
        return sorted(candidates, key=self._lay_up)

    def _lay_up(self, held: HeldCard) -> bool:
        return any(held is up for up, _ in self.cards)

    def change(self) -> None:
        """Note that the zone does not hold just the cards that lay there."""
        self.changed = True

    def is_back(self, cards: Sequence[HeldCard]) -> bool:
        """Whether all cards lie there again, and those that were lifted can have been face-down ones.

        `cards`: those in the zone.
        """
        whole = not self.changed and len(cards) == self.down + len(self.cards)
        return whole and sum(map(self._lay_up, cards)) == len(self.cards)

    def may_lie(self, cards: Sequence[HeldCard], lie_up: Collection[str | None]) -> list[str]:
        """The names that these cards' face-down ones have if they are just those that lay face up; else empty.

        `cards`: those in the zone. `lie_up`: names of all cards on the layout that lie face up. A name that a reader
        has told of a face-down card elsewhere counts as any other: who sees whether it is asked for would know it.
        """
        names = [name for _, name in self.cards if name is not None and name not in lie_up]
        unread = any(name is None for _, name in self.cards)
        hidden = sum(not (held.up or held.doubted) for held in cards)
        return names if len(names) == hidden and not unread else []


def note_change(doubts: dict[str, OpenInDoubt], zone: str, before: str | None, *, looked: bool) -> None:
    """Note a card that came to the zone from the one before, None for no zone; one looked at changes nothing."""
    for place in (zone, before):
        if place in doubts and not (looked and zone == before):
            doubts[place].change()


def lie_again(
    doubts: dict[str, OpenInDoubt], zone: str, cards: Sequence[HeldCard]
) -> Sequence[tuple[HeldCard, str | None]]:
    """The cards that lie open again, each with its name, once all of the zone's cards lie there; their doubt ends."""
    lay = doubts.get(zone)
    if lay is None or not lay.is_back(cards):
        return ()
    return doubts.pop(zone).cards


def is_mixed(cards: Sequence[HeldCard]) -> bool:
    """Whether some of the cards lie face up, and some face down."""
    return len({held.up for held in cards}) > 1
