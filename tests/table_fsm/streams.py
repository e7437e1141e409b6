"""Short streams: a table played by terse calls, and what it answered.

    play = holdem(blinds=[100, 200])            # open, shuffled, cut, posted; the button at the highest seat
    play.hands()                                # two cards each, one at a time
    answer = play.acts("3 raise 600", "4 fold")
    assert answer.told == ["action_illegal: call_floor"]

Each call sends one event, or a few, half a second apart, and gives an `Answer`. `told` lists rulings as
"irregularity: outcome"; `refusal` is the reason of the one `error` output. Cards without a name come from `play.pack`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.core.core import Core
from table_fsm.events import BY_NAME
from table_fsm.library import load_library
from table_fsm.outputs import Kind, Output, Phase
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

HOLDEM = "tas-2018-holdem"
UTH = "act-2019-uth"
STEP = 0.5
"""Seconds from one event to the next."""


@cache
def books() -> dict[str, Rulebook]:
    """The shipped rulebooks, loaded once."""
    return load_library(rulebook_sources(), structure_sources())


@dataclass(frozen=True)
class Answer:
    """What the table answered to a few events."""

    outputs: tuple[Output, ...]

    def of(self, kind: Kind) -> list[Any]:
        """The values of all outputs of a kind, as in JSON, in order."""
        return [output.to_dict()[kind.value] for output in self.outputs if output.kind is kind]

    @property
    def rulings(self) -> list[dict[str, Any]]:
        """The rulings, in order."""
        return self.of(Kind.RULING)

    @property
    def told(self) -> list[str]:
        """The rulings as "irregularity: outcome", in order."""
        return [f"{ruling['irregularity']}: {ruling['outcome']}" for ruling in self.rulings]

    @property
    def ruling(self) -> dict[str, Any]:
        """The one ruling there was."""
        assert len(self.rulings) == 1, self.told
        only: dict[str, Any] = self.rulings[0]
        return only

    @property
    def errors(self) -> list[str]:
        """The reasons of all refusals, in order."""
        return [value["reason"] for value in self.of(Kind.ERROR)]

    @property
    def refusal(self) -> str:
        """The reason of the one refusal there was; nothing else was said."""
        assert [output.kind for output in self.outputs] == [Kind.ERROR], self.outputs
        return self.errors[0]

    @property
    def alarms(self) -> list[str]:
        """The alarms as "kind state", in order."""
        return [f"{alarm['kind']} {alarm['state']}" for alarm in self.of(Kind.ALARM)]

    @property
    def prompt(self) -> dict[str, Any] | None:
        """The last prompt given."""
        prompts = self.of(Kind.PROMPT)
        return prompts[-1] if prompts else None

    @property
    def phase(self) -> str | None:
        """The last phase said, with its street where there is one: "betting.flop"."""
        said = [output.value for output in self.outputs if isinstance(output.value, Phase)]
        if not said:
            return None
        phase, street = said[-1].phase, said[-1].street
        return f"{phase}.{street}" if street else phase


def full_pack() -> Iterator[str]:
    """The 52 cards in an order of no meaning, the same each time, that a shuffle might well have left."""
    cards = [rank + suit for suit in "hsdc" for rank in "AKQJT98765432"]
    Random(7).shuffle(cards)
    return iter(cards)


class Play:
    """A table and the time it is; `seats` and `order` (dealing order) are those of its opening."""

    def __init__(self, book: str = HOLDEM) -> None:
        self.book = book
        self.table = Table(books())
        self.t = 0.0
        self.pack = full_pack()
        self.seats: list[int] = []
        self.order: list[int] = []

    @property
    def core(self) -> Core:
        """The state behind the table, to look at where no output tells."""
        return self.table._core

    def send(self, ev: str, *, after: float = STEP, **fields: Any) -> Answer:
        """One event, `after` seconds after the one before. A field `from_` is written `from`."""
        self.t += after
        return Answer(tuple(self.table.apply(BY_NAME[ev](t=self.t, **fields))))

    def all(self, answers: Iterable[Answer]) -> Answer:
        """Several answers as one."""
        return Answer(tuple(output for answer in answers for output in answer.outputs))

    def open(
        self,
        seats: Sequence[int] = (1, 2, 3, 4, 5),
        *,
        button: int | None = None,
        checked: bool = True,
        deck: str | None = "blue",
        **options: Any,
    ) -> Answer:
        """The deck checked, if it is to be, and the table opened. The button stands at the highest seat."""
        self.seats = sorted(seats)
        at = button if button is not None else max(self.seats, default=0)
        self.order = [s for s in self.seats if s > at] + [s for s in self.seats if s <= at]
        first = [self.send("shoe.deck_checked", deck=deck, count=52)] if checked else []
        opened = self.send("table.open", rulebook=self.book, seats=list(seats), button=button, options=options)
        return self.all([*first, opened])

    def shuffle(self, deck: str | None = "blue", *, cut: bool = True, count: int | None = 52) -> Answer:
        """The deck shuffled and cut, a fresh pack to deal from."""
        self.pack = full_pack()
        shuffled = self.send("shoe.shuffled", deck=deck, count=count)
        return self.all([shuffled, self.send("cut", depth=20)] if cut else [shuffled])

    def post(self, *cents: int) -> Answer:
        """Blinds posted, from the first seat in dealing order on."""
        return self.all(
            self.send("action", seat=seat, action="post", cents=amount)
            for seat, amount in zip(self.order, cents, strict=False)
        )

    # -- cards

    def card(self, zone: str, card: str | None = "next", face: str = "down", deck: str | None = "blue") -> Answer:
        """A card from the shoe to a zone: out of the mouth unseen, named where it comes to rest."""
        return self.all([self.send("shoe.card", deck=deck), self.place(zone, card, face)])

    def place(self, zone: str, card: str | None = "next", face: str = "down") -> Answer:
        """A card comes to rest, with no word from the shoe."""
        name = next(self.pack) if card == "next" else card
        return self.send("card.placed", zone=zone, card=name, face=face)

    def to(self, *seats: int) -> Answer:
        """A card to each of these seats, in this order."""
        return self.all(self.card(f"seat:{seat}") for seat in seats)

    def hands(self, passes: int = 2) -> Answer:
        """Hold'em: so many cards to each seat, one at a time, in order."""
        return self.to(*self.order * passes)

    def burn(self) -> Answer:
        """One card burnt."""
        return self.card("burn")

    def flop(self) -> Answer:
        """A burn and three cards of the board."""
        return self.all([self.burn(), *(self.card(f"board:{n}", face="up") for n in (1, 2, 3))])

    def street(self, number: int) -> Answer:
        """A burn and the board's fourth or fifth card."""
        return self.all([self.burn(), self.card(f"board:{number}", face="up")])

    def fetch(self, zone: str, card: str | None = None) -> Answer:
        """A card leaves a zone."""
        return self.send("card.removed", zone=zone, card=card)

    def expose(self, zone: str, by: str = "dealer", card: str | None = None) -> Answer:
        """A face-down card is seen where it lies."""
        return self.send("card.exposed", zone=zone, by=by, card=card)

    def turn(self, *zones: str) -> Answer:
        """Every card of these zones is turned face up."""
        return self.all(
            self.send("card.turned", zone=zone) for zone in zones for _ in range(self.core.round.tracker.holds(zone))
        )

    def look(self, seat: int) -> Answer:
        """A player lifts their cards."""
        return self.send("hand.looked", seat=seat)

    # -- betting and the end

    def acts(self, *actions: str) -> Answer:
        """Actions as "seat action [cents]"."""
        return self.all(self._act(*action.split()) for action in actions)

    def _act(self, seat: str, action: str, cents: str | None = None) -> Answer:
        return self.send("action", seat=int(seat), action=action, cents=int(cents) if cents else None)

    def close(self) -> Answer:
        """The dealer closes the betting round."""
        return self.send("betting.closed")

    def decide(self, decision: str, **fields: Any) -> Answer:
        """A supervisor decides."""
        return self.send("supervisor", decision=decision, staff="s1", **fields)

    def wager(self, seat: int, box: str, cents: int) -> Answer:
        """Chips in a box."""
        return self.send("wager", seat=seat, box=box, cents=cents)

    def end(self) -> Answer:
        """Pots pushed, cards collected."""
        return self.send("hand.end")

    def wait(self, seconds: float) -> Answer:
        """Time passes."""
        return self.send("tick", after=seconds)

    def to_showdown(self) -> Answer:
        """From dealt hands to the showdown: no actions keyed, each street closed by the dealer."""
        rest = [self.close(), self.flop(), self.close(), self.street(4), self.close(), self.street(5), self.close()]
        return self.all(rest)

    # -- what the table shows

    @property
    def view(self) -> dict[str, Any]:
        """The table as anybody may see it, as in JSON."""
        return dict(self.table.view())

    @property
    def prompt(self) -> dict[str, Any] | None:
        """What the dealer should do next."""
        asked: dict[str, Any] | None = self.view["prompt"]
        return asked

    @property
    def phase(self) -> str:
        """The phase in force, with its street where there is one."""
        phase, street = self.view["phase"], self.view["street"]
        return f"{phase}.{street}" if street and phase not in {"halted", "closed"} else phase

    @property
    def pending(self) -> list[str]:
        """The irregularities that wait for a person."""
        return [ruling["irregularity"] for ruling in self.view["pending"]]


def holdem(seats: Sequence[int] = (1, 2, 3, 4, 5), **options: Any) -> Play:
    """Hold'em, ready for the first card: checked, open, shuffled, cut, blinds posted where `blinds` are given."""
    play = Play(HOLDEM)
    play.open(seats, **options)
    play.shuffle()
    if "blinds" in options:
        play.post(*options["blinds"])
    return play


def uth(seats: Sequence[int] = (1, 2, 3), *, ante: int = 500, trips: int = 0, **options: Any) -> Play:
    """Ultimate Texas Hold'em, ready for the first card: checked, open, shuffled, each seat with ante and blind."""
    play = Play(UTH)
    play.open(seats, **options)
    play.shuffle(cut=False)
    for seat in seats if ante else ():
        play.wager(seat, "ante", ante)
        play.wager(seat, "blind", ante)
        if trips:
            play.wager(seat, "trips", trips)
    return play


def uth_dealt(play: Play) -> Play:
    """The board, two cards to each seat and two to the dealer, all face down."""
    for zone in (
        *(f"board:{n}" for n in range(1, 6)),
        *(f"seat:{s}" for s in play.seats for _ in "12"),
        *["dealer"] * 2,
    ):
        play.card(zone)
    return play
