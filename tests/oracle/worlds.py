"""Tables with the same course and other hidden cards."""

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Final, cast
from unittest.mock import patch

from devices.simulated.direct import DirectTable
from feltd.door import Person
from feltd.page.access.roles import Role
from feltd.page.api.guard import CSRF_HEADER
from feltd.record.database import Head
from feltd.record.drafts import Draft
from feltd.record.reports import Reports
from feltd.record.sealing import CARD_FIELDS
from feltd.simulated.games import game_for, options_for
from feltd.table.journal.signing import Signing
from feltd.table.journal.writer import Writer
from feltd.table.keeper.broadcast import Broadcast, BroadcastTo
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event, ShoeShuffled, event_to_dict
from table_fsm.table import Table
from tests.feltd.page_support import Page
from tests.feltd.table_support import BOOKS

SEATS: Final = (1, 2, 3, 5)
DISK_BYTES: Final = 10**12
FEWEST_HIDDEN: Final = 6
"""A moment counts where so many cards are hidden."""
FEWEST_HIDDEN_AFTER: Final = 4
"""The same after the round, which has shown most of them."""


@dataclass(frozen=True)
class Moment:
    """A round in play, up to an event.

    `shuffled`: the index of the event that began its pack. `hidden`: cards that came face down and were not shown.
    `rest`: cards of the pack that nobody has read yet.
    """

    events: tuple[Event, ...]
    shuffled: int
    hidden: tuple[str, ...]
    rest: tuple[str, ...]

    def with_other_cards(self, seed: int) -> tuple[Event, ...]:
        """The same course with every hidden card another one."""
        swap = self._swap(seed)
        later = (_swapped(event, swap) for event in self.events[self.shuffled :])
        return (*self.events[: self.shuffled], *later)

    def hidden_elsewhere(self, seed: int) -> tuple[str, ...]:
        """The cards that are hidden there."""
        swap = self._swap(seed)
        return tuple(sorted(swap[card] for card in self.hidden))

    def _swap(self, seed: int) -> Mapping[str, str]:
        names = [*self.hidden, *self.rest]
        return dict(zip(names, _all_elsewhere(names, random.Random(seed)), strict=True))


def moments(book: str, seed: int, *, rounds: int = 2, over: bool = False, faces: bool = True) -> list[Moment]:
    """Moments of the last round of a game with mistakes, in their order.

    `over`: those after its end, when cards lie on the table that the round did not show; else those before it. `faces`:
    whether the readers know which side of a card is up.
    """
    table = Table(BOOKS)
    options = options_for(BOOKS[book], None if faces else {"faces": False, "look_sensor": False})
    game = game_for(BOOKS[book], SEATS, options, seed=seed, rounds=rounds, mistake_rate=0.4)
    direct = DirectTable(
        game,
        lambda event: [output.to_dict() for output in table.apply(event)],
        options=options,
        button=game.button,
    )
    events: list[Event] = []
    found: list[Moment] = []
    down: set[str] = set()
    shown: set[str] = set()
    shuffled = ended = 0
    for event, _ in direct.play():
        if isinstance(event, ShoeShuffled):
            down, shown, shuffled = set(), set(), len(events)
        events.append(event)
        said = event_to_dict(event)
        cards = {card for name in CARD_FIELDS for card in _listed(said.get(name)) if card}
        (shown if said.get("face") == "up" else down).update(cards)
        view = table.view()
        seats: list[Any] = [*view["seats"], view.get("dealer") or {}]
        for seat in seats:
            shown.update(card for card in seat.get("tabled") or [] if card)
        hidden = down - shown
        if table.at_round_boundary:
            ended = view["round"]
        fewest = FEWEST_HIDDEN_AFTER if over else FEWEST_HIDDEN
        if view["round"] == rounds and (ended == rounds) is over and len(hidden) >= fewest:
            rest = _PACK - down - shown
            found.append(Moment(tuple(events), shuffled, tuple(sorted(hidden)), tuple(sorted(rest))))
    return found


class World:
    """A page on a table that has come to a moment. Made within a running loop."""

    _spec: ClassVar[dict[str, Any]] = {}

    def __init__(self, folder: Path, events: tuple[Event, ...], broadcast: BroadcastTo | None = None) -> None:
        """`broadcast`: on from before the first event."""
        self.page = Page(folder)
        self.sessions = {role: self.page.session(role) for role in Role}
        bench = self.page.bench
        if broadcast is not None:
            self._turn_on(broadcast)
        self._start = bench.clock.now()
        for event in events:
            self.deliver(event)

    def deliver(self, event: Event) -> None:
        """The next event comes, at its time."""
        bench = self.page.bench
        bench.time.pass_(max(0.0, self._start + event.t - bench.clock.now()))
        bench.keeper.deliver(Delivery("the game", partial(_at, event)))

    @property
    def spec(self) -> Mapping[str, Any]:
        """The API's own description: the same at each table, and slow to make."""
        if not World._spec:
            World._spec.update(self.page.api.openapi())
        return World._spec

    async def settled(self) -> None:
        """Everything is on the disk, and whoever waits for that has been told."""
        await self.page.bench.synced()

    def _turn_on(self, broadcast: BroadcastTo) -> None:
        bench, together = self.page.bench, self.page.workshop.together
        made = Broadcast(bench.keeper, bench.journal, together, broadcast, lambda: bench.time.monotonic)
        self.page.door.broadcasting = made
        for name in ("anna", "otto"):
            made.want(Person(name, name, "supervisor", "192.0.2.7"), on=True)

    def wait(self, seconds: float) -> None:
        """Time passes, and everybody signs in anew."""
        self.page.bench.time.pass_(seconds)
        self.page.door.broadcasting.beat()
        self.sessions = {role: self.page.session(role) for role in Role}

    def sign_in(self, role: Role) -> None:
        """Somebody of this role signs in anew."""
        self.sessions[role] = self.page.session(role)

    @property
    def in_play(self) -> bool:
        """Whether the round of the moment is still in play, with cards that nobody has seen."""
        return bool(self.page.bench.journal.open_rounds)

    def headers(self, role: Role | None) -> dict[str, str]:
        """What a browser of somebody in this role sends; nobody's, from elsewhere, for None."""
        return {} if role is None else dict(self.sessions[role])

    def token(self, role: Role) -> str:
        """The token that goes along with changes."""
        return self.sessions[role][CSRF_HEADER]


class Quiet:
    """Everything that differs from run to run by itself, held still: what then differs, differs by the cards."""

    def __init__(self) -> None:
        self._patches = ExitStack()

    def __enter__(self) -> "Quiet":
        enter = self._patches.enter_context
        # a commit for each hand-over, and none joined by chance: counts and sizes are those of the entries alone
        enter(patch.object(Writer, "hand_over", _committed_at_once(Writer.hand_over)))
        # a head for each round's end, and none left out because the next was there already
        enter(patch.object(Signing, "committed", _signed_at_once))
        enter(patch("feltd.table.journal.writer.CHECKPOINTS", ()))
        enter(patch("feltd.table.journal.writer.time", SimpleNamespace(perf_counter=lambda: 0.0)))
        enter(patch("feltd.table.host.computer.os", SimpleNamespace(statvfs=_own_disk)))
        enter(patch("feltd.table.host.computer.seconds_since_start", lambda: 1.0))
        enter(patch("feltd.table.host.computer.processor_celsius", lambda system: 40.0))
        # time stands still here, so no budget of exports would ever fill again
        enter(patch("feltd.page.api.on_record.AT_ONCE", 10**6))
        enter(patch("feltd.table.keeper.access.EXPORTS_AT_ONCE", 10**6))
        enter(patch("feltd.page.views.time", SimpleNamespace(time=lambda: 1_800_000_000.0)))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()


@contextmanager
def worlds(
    folder: Path, moment: Moment, seed: int, broadcast: BroadcastTo | None = None
) -> Iterator[Callable[[], "Worlds"]]:
    """Makes the tables of one moment, again and again. `broadcast`: as of `World`."""
    made: list[Worlds] = []

    def make() -> Worlds:
        while made:
            made.pop().close()
        place = folder / f"{len(list(folder.iterdir()))}"
        made.append(Worlds(place, moment, seed, broadcast))
        return made[-1]

    try:
        yield make
    finally:
        while made:
            made.pop().close()


class Worlds:
    """One table, its twin with the same cards, and one with other hidden cards.

    What differs between the twins is chance (a nonce, a key). What is the same for the twins and another for the third
    is told by a hidden card.
    """

    def __init__(self, folder: Path, moment: Moment, seed: int, broadcast: BroadcastTo | None = None) -> None:
        others = moment.with_other_cards(seed)
        self.each: list[World] = []
        for name, events in (("one", moment.events), ("twin", moment.events), ("other", others)):
            (folder / name).mkdir(parents=True)
            self.each.append(World(folder / name, events, broadcast))

    async def settled(self) -> None:
        """All of them are on the disk."""
        for world in self.each:
            await world.settled()

    def sign_in(self, role: Role) -> None:
        """Somebody of this role signs in anew, at each of them."""
        for world in self.each:
            world.sign_in(role)

    @property
    def in_play(self) -> bool:
        """Whether there is still something to be found out."""
        return all(world.in_play for world in self.each)

    def close(self) -> None:
        """Nobody looks any more."""
        for world in self.each:
            world.page.close()


_PACK: Final = frozenset(rank + suit for rank in "23456789TJQKA" for suit in "shdc")


def _all_elsewhere(names: list[str], chance: random.Random) -> list[str]:
    """An order of the names in which none is where it was."""
    order = list(names)
    chance.shuffle(order)
    onward = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [onward[name] for name in names]


def _swapped(event: Event, swap: Mapping[str, str]) -> Event:
    named: dict[str, Any] = {}
    for name in CARD_FIELDS:
        value = getattr(event, name, None)
        if isinstance(value, str):
            named[name] = swap.get(value, value)
        elif isinstance(value, list):
            named[name] = [swap.get(card, card) for card in value]
    return replace(event, **named) if named else event


def _at(event: Event, t: float) -> list[Event]:
    return [replace(event, t=t)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _signed_at_once(signing: Signing, head: Head, *, due: bool) -> None:
    signing._newest = head
    if due:
        signing._sign()


def _committed_at_once(hand_over: Callable[[Writer, Sequence[Draft]], None]) -> Callable[..., None]:
    def committed(writer: Writer, drafts: Sequence[Draft], *, may_wait: bool = False) -> None:
        hand_over(writer, drafts)
        cast(Reports, writer._reports).wait_for(drafts[-1].seq).result(60)

    return committed


def _own_disk(folder: Path) -> os.statvfs_result:
    """A disk that holds nothing but this folder: its free bytes tell each byte that is written."""
    used = sum(file.stat().st_size for file in Path(folder).iterdir() if file.is_file())
    return os.statvfs_result((1, 1, DISK_BYTES, DISK_BYTES - used, DISK_BYTES - used, 0, 0, 0, 0, 255))
