"""Places at something that goes on: so many in all, so many of one person and of one address."""

from collections import Counter
from dataclasses import dataclass, field

from feltd.page.limits.facts import PageLimits
from feltd.page.limits.refusals import Limit, Refusals


class NoPlaceError(Exception):
    """All places are taken that this visitor may have. The message is for people."""


@dataclass(eq=False, slots=True)
class Place:
    """A place that is taken. `owner`: under whose name it counts; `lost`: it was needed for somebody with fewer."""

    owner: str
    address: str
    lost: bool = field(default=False)


class StreamPlaces:
    """The places of streams.

    Where an address, or the page, has none left, a visitor with fewer streams gets one of the visitor with most: so
    nobody is kept out by one who holds as many as may be.
    """

    def __init__(self, limits: PageLimits, refusals: Refusals) -> None:
        self._limits = limits
        self._refusals = refusals
        self._taken: dict[Place, None] = {}

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, owner: str, address: str, *, person: bool) -> Place:
        """Take a place. `person`: the owner is one, and not an address. Raises NoPlaceError."""
        limits = self._limits
        of_owner = limits.streams_per_person if person else limits.streams_per_address
        if sum(place.owner == owner for place in self._taken) >= of_owner:
            raise self._refused(f"{of_owner} streams are open already: close one")
        here = [place for place in self._taken if place.address == address]
        if len(here) >= limits.streams_per_address:
            self._make_room(here, owner, f"{limits.streams_per_address} streams of this address are open already")
        elif len(self._taken) >= limits.streams:
            self._make_room([*self._taken], owner, f"{limits.streams} streams are open already")
        place = Place(owner, address)
        self._taken[place] = None
        return place

    def leave(self, place: Place) -> None:
        """Give a place back."""
        self._taken.pop(place, None)

    def _make_room(self, places: list[Place], owner: str, words: str) -> None:
        counts = Counter(place.owner for place in places)
        most = max(counts, key=lambda name: counts[name])
        if counts[most] <= counts[owner] + 1:
            raise self._refused(f"{words}: come again in a while")
        oldest = next(place for place in places if place.owner == most)
        oldest.lost = True
        self.leave(oldest)
        self._refusals.add(Limit.STREAMS)

    def _refused(self, words: str) -> NoPlaceError:
        self._refusals.add(Limit.STREAMS)
        return NoPlaceError(words)
