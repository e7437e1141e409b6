"""What of a record was not played again, because cards that no round showed stay sealed."""

from dataclasses import dataclass, field

from feltd.record.entries import Entry


@dataclass(frozen=True, slots=True)
class Gap:
    """Events that were not played: from the first sealed card to the next kept state.

    `last`: the entry of that state; None where the record has none after it.
    """

    first: int
    last: int | None
    rounds: tuple[int, ...]

    def __str__(self) -> str:
        rounds = [str(number) for number in self.rounds]
        of = f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {rounds[0]} to {rounds[-1]}"
        if self.last is None:
            return f"entries from {self.first} on ({of})"
        return f"entries {self.first} to {self.last} ({of})"


@dataclass(slots=True)
class Gaps:
    """The gaps of one pass over a record."""

    found: list[Gap] = field(default_factory=list)
    _first: int | None = None
    _rounds: set[int] = field(default_factory=set)

    @property
    def open(self) -> bool:
        """Whether events are passed over now."""
        return self._first is not None

    def pass_over(self, entry: Entry) -> None:
        """Take note of an event that is not played; the first of them begins a gap."""
        self._first = entry.seq if self._first is None else self._first
        self._rounds.update(() if entry.round is None else (entry.round,))

    def close(self, last: int | None) -> None:
        """End the gap, if there is one, at the kept state of entry `last`, or with the record."""
        if self._first is not None:
            self.found.append(Gap(self._first, last, tuple(sorted(self._rounds)) or (0,)))
        self._first = None
        self._rounds.clear()

    def in_words(self) -> list[str]:
        """Lines that say what was not played, and the remedy; none where everything was."""
        if not self.found:
            return []
        return [
            *(f"not played: {gap}: cards that no round showed are sealed" for gap in self.found),
            "with --unseal FILE everything is played; without it no ruling is compared that comes of cards counted "
            "over many rounds (short_deck, duplicate_card)",
        ]
