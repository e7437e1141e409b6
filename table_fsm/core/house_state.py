"""State of a house-banked round: betting boxes, wagers, and the progress of the deal."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

CARRIED: Final = ("ante", "blind", "trips")
"""The boxes whose chips may be wagers of the next round: the play wager is a decision of this one."""


@dataclass(frozen=True, slots=True)
class LaidAhead:
    """A wager for the next round, in cents, and whether a marker stands beside it."""

    cents: int
    marker: bool


@dataclass(frozen=True, slots=True)
class LatePlay:
    """A play wager behind a keyed check: the id of the ruling on it, its cents, and the street."""

    ruling: int
    cents: int
    street: str


@dataclass(slots=True)
class BettingBox:
    """A player's betting box in a house-banked round. Wagers in cents."""

    ante: int = 0
    blind: int = 0
    trips: int = 0
    play: int = 0
    play_street: str | None = None
    """The street on which the play wager was made."""
    play_wrong: bool = False
    """The play wager was ruled on; it may be corrected while its street is open, one laid too early during the deal."""
    folded: bool = False
    void: bool = False
    decided: str | None = None
    """The street of the last decision."""
    checked: str | None = None
    """The street of the last check that was keyed."""
    passed_over: str | None = None
    """The street whose decisions ended before the player had made theirs; they may make it up (`boxes.owed_late`)."""
    late_play: LatePlay | None = None
    """The last play wager that was ruled on because a check had been keyed before it."""
    settled: bool = False
    """The wagers have been paid or taken."""
    marked: set[str] = field(default_factory=set)
    """Boxes with a marker beside them, which allows more than the maximum."""
    reported: dict[str, int] = field(default_factory=dict)
    """Chips last reported in each box, where that is not what lies there by the rules."""

    @property
    def wagered(self) -> bool:
        """Whether both ante and blind are in the box."""
        return self.ante > 0 and self.blind > 0

    def lies_in(self, box: str) -> int:
        """The wager in cents in `box`: ante, blind, trips or play.

        Raises KeyError for another name.
        """
        return {"ante": self.ante, "blind": self.blind, "trips": self.trips, "play": self.play}[box]

    def seen_in(self, box: str) -> int:
        """The chips in cents that were last reported in `box`, accepted as a wager or not."""
        return self.reported.get(box, self.lies_in(box))

    def see(self, box: str, cents: int) -> None:
        """Note the chips that a report has found in `box`."""
        if cents == self.lies_in(box):
            self.reported.pop(box, None)
        else:
            self.reported[box] = cents

    @property
    def empty(self) -> bool:
        """Whether no chips have been left in any box."""
        return not any(self.seen_in(box) for box in ("ante", "blind", "trips", "play"))

    def lay(self, box: str, cents: int, *, marker: bool) -> None:
        """Set the wager in `box`: ante, blind or trips. `marker`: one stands beside it.

        Raises ValueError for another name: the play wager is a decision (`make_play`).
        """
        if box == "ante":
            self.ante = cents
        elif box == "blind":
            self.blind = cents
        elif box == "trips":
            self.trips = cents
        else:
            raise ValueError(f"{box!r}: ante, blind or trips")
        self.reported.pop(box, None)
        if marker:
            self.marked.add(box)
        else:
            self.marked.discard(box)

    def give_back(self, box: str) -> None:
        """Return the wager in `box`; its chips lie there until a report says otherwise."""
        seen = self.seen_in(box)
        self.lay(box, 0, marker=False)
        self.reported[box] = seen

    def check(self, street: str) -> None:
        """Note that the player has checked, which is their decision on this street."""
        self.decided = self.checked = street
        self.passed_over = None

    def pass_over(self, street: str) -> None:
        """Note that the decisions of this street ended without the player's."""
        self.passed_over = street

    def check_late(self, street: str) -> None:
        """Note that a player who was passed over has checked while the next decisions are made, and may still bet.

        `street`: the one that they have decided on.
        """
        self.decided, self.passed_over = street, None

    def make_play(self, cents: int, street: str) -> None:
        """Make the play wager, which is the player's decision on its street."""
        self.play, self.play_street, self.decided = cents, street, street
        self.reported.pop("play", None)

    def note_late_play(self, late: LatePlay) -> None:
        """Remember a play wager behind a keyed check, in case a person decides that the check was no check."""
        self.late_play = late

    def take_back_check(self, street: str) -> None:
        """Forget the check keyed on this street, which was none: the player is still to decide there."""
        self.late_play = None
        if self.decided == self.checked == street:
            self.decided = None
        if self.checked == street:
            self.checked = None

    def take_play(self) -> None:
        """Remove the play wager; the player is still to decide."""
        self.play, self.play_street, self.decided = 0, None, None
        self.reported.pop("play", None)

    def fold(self, street: str) -> None:
        """Fold the hand, which is the player's decision on this street."""
        self.folded, self.decided = True, street

    def cancel(self) -> None:
        """Make the hand void: its wagers go back."""
        self.void = True

    def count_again(self) -> None:
        """Make a void hand count, because the ruling was overruled."""
        self.void = False

    def reinstate(self) -> None:
        """Reinstate the hand because the ruling that folded it was overruled.

        The decision of the street stays made.
        """
        self.folded = False


@dataclass(slots=True)
class House:
    """A house-banked round."""

    boxes: dict[int, BettingBox] = field(default_factory=dict)
    """The betting boxes in use, by seat."""
    left: dict[tuple[int, str], int] = field(default_factory=dict)
    """Chips of the round before that lie in a box still, by seat and box."""
    stay: set[int] = field(default_factory=set)
    """Seats at which chips of a round that was ended without settlement are their player's still: no wagers yet."""
    folded_cards: dict[str, int] = field(default_factory=dict)
    """Cards of folded hands on their way to the discards, with the seat that had them."""
    ahead: dict[int, dict[str, LaidAhead]] = field(default_factory=dict)
    """Wagers for the next round, by seat and box, laid where those of this round have been settled and are gone."""
    any_wager: bool = False
    """A wager has been reported in this round, so wagers are known."""
    wager_order: list[int] = field(default_factory=list)
    """Tournament: seats in the order of their first wagers."""
    step: int = 0
    """Index of the deal step in progress."""
    keyed: bool = False
    """A check has been keyed in this round, or each one is by the table's options: decisions are reported."""
    window_from: float | None = None
    """Table second at which the decisions opened, or of the last decision; None while nobody may decide."""
    paid: bool = False
    """The last wager has been settled and its chips are gone, which concludes the round."""
    dealer_open: bool = False
    """The dealer's hand and the whole board lie face up."""

    def open_window(self, t: float) -> None:
        """Start the players' time to decide at table second `t`."""
        self.window_from = t

    def box(self, seat: int) -> BettingBox:
        """The seat's betting box in this round."""
        return self.boxes.setdefault(seat, BettingBox())

    def lay(self, seat: int, name: str, cents: int, *, marker: bool) -> None:
        """Set a wager of this round in ante, blind or trips."""
        self.box(seat).lay(name, cents, marker=marker)
        self.any_wager = self.any_wager or cents > 0

    def chips(self, *, plays: bool = False) -> dict[int, dict[str, int]]:
        """The chips in cents that lie in the boxes by the last reports, by seat and box. `plays`: play wagers too."""
        found: dict[int, dict[str, int]] = {}
        for seat, box in self.boxes.items():
            for name in (*CARRIED, "play") if plays else CARRIED:
                if cents := box.seen_in(name):
                    found.setdefault(seat, {})[name] = cents
        for (seat, name), cents in self.left.items():
            if cents and seat in self.stay:
                found.setdefault(seat, {}).setdefault(name, cents)
        return found

    def keep(self, left: Mapping[int, Mapping[str, int]], stay: Iterable[int]) -> None:
        """Note the chips of the round before that lie in the boxes. `stay`: the seats whose players own them still."""
        self.stay = set(stay)
        self.left = {(seat, name): cents for seat, chips in left.items() for name, cents in chips.items()}

    def fetch(self, seat: int, name: str, cents: int) -> bool:
        """Whether a report finds no more than chips of the round before; it notes how many of them are left."""
        before = self.left.get((seat, name), 0)
        if cents < before:
            self.left[seat, name] = cents
        return 0 < before >= cents

    def stays(self, seat: int) -> bool:
        """Whether chips of a round that was ended without settlement lie at the seat still, by the reports."""
        return seat in self.stay and any(self.left.get((seat, name), 0) for name in CARRIED)

    def lay_what_stays(self, seats: Container[int]) -> None:
        """Make wagers of the chips that lie at these seats from a round that was ended without settlement.

        A box that was reported since has what the report says. Chips at other seats stay: their player is away. A play
        wager of the round before is none of this one.
        """
        for (seat, name), cents in self.left.items():
            if name in CARRIED and cents and seat in seats and seat in self.stay and not self.box(seat).seen_in(name):
                self.lay(seat, name, cents, marker=False)
        self.stay = {seat for seat in self.stay if seat not in seats}

    def forget(self, seat: int) -> None:
        """Forget what lies at a seat whose player has gone with it between two rounds.

        Else its next player would inherit the chips as wagers, and the turn in which they were placed.
        """
        self.left = {(number, name): cents for (number, name), cents in self.left.items() if number != seat}
        self.stay.discard(seat)
        self.boxes.pop(seat, None)
        self.count_as_placed(seat, placed=False)

    def lay_ahead(self, seat: int, name: str, wager: LaidAhead) -> None:
        """Note a wager for the next round, or with no cents that it has been taken away."""
        laid = self.ahead.setdefault(seat, {})
        laid.pop(name, None)
        if wager.cents:
            laid[name] = wager

    def take_over(self, ahead: Mapping[int, Mapping[str, LaidAhead]], seats: Container[int]) -> None:
        """Lay the wagers for this round that came during the one before, of players who are at these seats.

        They are placed in their turn, as chips are that lie there still.
        """
        for seat, laid in ahead.items():
            for name, wager in laid.items() if seat in seats else ():
                self.lay(seat, name, wager.cents, marker=wager.marker)
                self.left[seat, name] = wager.cents
                self.count_as_placed(seat, placed=True)

    def count_as_placed(self, seat: int, *, placed: bool) -> None:
        """Note that a seat has wagered in its turn with chips that lay there, or has none."""
        if placed and seat not in self.wager_order:
            self.wager_order.append(seat)
        elif not placed and seat in self.wager_order:
            self.wager_order.remove(seat)

    def pay(self) -> None:
        """Note that the last wager has been settled."""
        self.paid = True

    def close_window(self) -> None:
        """End the players' time to decide."""
        self.window_from = None
