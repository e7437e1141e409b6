"""Packs of chips at a running table: cards are laid on its own readers, and the list is changed by a named person.

Only in test mode and between two rounds: then no card that is laid belongs to a game. Meanwhile what readers and the
shoe tell of chips comes here and not to the table, and the record names such an event without what it says.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from feltd.door import CommandRefused, Person
from feltd.door.packs import PackFacts, PacksFacts, PackState, PackStep, PackWanted, PackWork
from feltd.table.journal import Journal
from feltd.table.keeper.keeper import RESTING, TableKeeper
from feltd.table.links.bridge import Bridge
from feltd.table.links.slots import Slot
from feltd.table.packs.changes import Change, changes
from feltd.table.packs.laying import Checking, Enrolling, Laying, laying_for
from feltd.table.packs.pack_file import PackShelf
from feltd.table.packs.pack_list import PackError, PackList
from feltd.table.packs.turns import PackFileError, RoundHold
from table_fsm.events import Event, TestMode
from table_fsm.outputs import Output, Phase

ENROLLED_NOTE: Final = "deck.enrolled"
CHECKED_NOTE: Final = "deck.checked"
REPLACED_NOTE: Final = "deck.replaced"
PUT_NOTE: Final = "deck.put"
SWAPPED_NOTE: Final = "deck.swapped"
FILE_NOTE: Final = "deck.file"
"""A command has changed the list, or somebody else who has its key: nobody at the page did."""
IDLE_SECONDS: Final = 600.0
"""After so long without a chip or a step the work ends: readers would tell the table of no chip for ever."""
_COME: Final = frozenset({"placed", "mucked", "card_out"})


class PackRefused(CommandRefused):
    """Nothing can be done with this pack now; the message says why."""


@contextmanager
def _refusing() -> Iterator[None]:
    """What cannot be done with the list or a pack refuses the person's command."""
    try:
        yield
    except (PackError, PackFileError) as fault:
        raise PackRefused(str(fault)) from None


class PackTable:
    """The packs of one table, and the cards that are laid for one. Belongs to the loop."""

    def __init__(self, keeper: TableKeeper, bridge: Bridge, journal: Journal, shelf: PackShelf | None) -> None:
        """`shelf`: None at a table that keeps no list."""
        self._keeper = keeper
        self._journal = journal
        self._bridge = bridge
        self._shelf = shelf
        self._laying: Laying | None = None
        self._until = 0.0
        self._known, self._mark = PackList(), None if shelf is None else shelf.mark()
        self._told: tuple[PackFacts, ...] = ()
        self._told_mark: tuple[int, ...] | None = None
        """Of the file that `_told` was read from; None where it must be read."""
        self._untold: list[Change] = []
        self._round = None if shelf is None else RoundHold(shelf.file)
        with suppress(CommandRefused):
            self._known = PackList() if shelf is None else self._read()
        keeper.on_outputs(self._happened)

    @property
    def is_laying(self) -> bool:
        """Whether a pack is being laid."""
        return self._laying is not None

    def facts(self) -> PacksFacts:
        """What a technician is shown."""
        work = None if self._laying is None else self._laying.facts()
        try:
            return PacksFacts(self._kept_packs(), None, work)
        except PackFileError as fault:
            return PacksFacts((), str(fault), work)

    def _kept_packs(self) -> tuple[PackFacts, ...]:
        """The packs of the file, read and decrypted once for each file: many who look would hold up the table.

        Raises PackFileError.
        """
        if self._shelf is None:
            return ()
        mark = self._shelf.mark()  # before the file is read: one that replaces it meanwhile is read next time
        if mark is None or mark != self._told_mark:
            packs = self._shelf.read().packs
            self._told = tuple(PackFacts(pack.name, pack.back, len(pack.cards), pack.state) for pack in packs)
            self._told_mark = mark
        return self._told

    def begin(self, person: Person, wanted: PackWanted) -> None:
        """Begin to lay cards. Raises CommandRefused."""
        self.beat()
        if not self._keeper.standing.testing:
            raise PackRefused("packs are enrolled and checked in test mode only: begin it first")
        if not self._keeper.between_rounds:
            raise PackRefused("a round is in progress: packs are enrolled and checked between two rounds")
        if self._laying is not None:
            raise PackRefused(f"{self._laying.by} has cards laid already: end that first")
        with _refusing():
            self._laying = laying_for(self._read(), wanted, person.owner)
        self._go_on()

    def hears(self, slot: Slot, body: Mapping[str, Any]) -> bool:
        """Take a device's event of a chip while cards are laid; False where it is the table's."""
        self.beat()
        number = body.get("card")
        if self._laying is None or not isinstance(number, bytes):
            return False
        if body.get("ev") in _COME:
            self._laying.hear(number, self._keeper.now)
            self._go_on()
        return True

    def step(self, person: Person, step: PackStep) -> None:
        """Take what a person says of the cards that are laid. Raises CommandRefused, PlayStopped."""
        self.beat()
        if self._laying is None:
            raise PackRefused("no cards are being laid: begin anew")
        if step is PackStep.STOP:
            self._end()
            return
        if person.owner != self._laying.by:
            raise PackRefused(f"{self._laying.by} has begun this: who began goes on, anybody may stop it")
        with _refusing():
            match step:
                case PackStep.KEEP:
                    with self._alone():
                        self._keep(person, self._laying)
                    return
                case PackStep.ORDER:
                    self._laying.put_in_order()
                case PackStep.BACK:
                    self._laying.take_back()
            self._go_on()

    def put(self, person: Person, name: str, state: PackState) -> None:
        """Put a pack to use, to rest, or retire it. Raises CommandRefused, PlayStopped."""
        if not self._keeper.between_rounds:
            raise PackRefused("a round is in progress: packs change between two rounds")
        with self._alone():
            packs = self._read().with_state(name, state)
            self._keeper.note_by_hand(person, PUT_NOTE, None, pack=name, state=state.value)
            self._write(packs)

    def swap(self, person: Person, name: str, one: str, other: str) -> None:
        """Exchange the chips of two cards, which were laid the wrong way round. Raises CommandRefused, PlayStopped."""
        if not self._keeper.between_rounds:
            raise PackRefused("a round is in progress: packs change between two rounds")
        with self._alone():
            packs = self._read().with_swap(name, one, other)
            self._note(person, SWAPPED_NOTE, name, which=f"{one} {other}")
            self._write(packs)
            if self._laying is not None:
                self._laying.changed(packs)

    def beat(self) -> None:
        """End what nobody goes on with, take up what a command has changed, and tell commands of a round.

        Call it once a second.
        """
        if self._round is not None:
            self._round.be(in_a_round=not self._keeper.between_rounds)
        self._take_up()
        if self._laying is not None and self._keeper.now >= self._until:
            self._end()

    def _take_up(self) -> None:
        """Let what a command has changed of the list hold at once, and put it on record."""
        if self._shelf is not None and (mark := self._shelf.mark()) != self._mark:
            self._mark = mark
            self._bridge.packs_changed()
            try:
                packs = self._shelf.read()
            except PackFileError:
                self._untold.append({"change": "unreadable"})
            else:
                self._untold += changes(self._known, packs)
                self._known = packs
        while self._untold and self._journal.health.accepting:
            self._journal.append_note(FILE_NOTE, self._untold.pop(0))

    # -- keeping

    def _keep(self, person: Person, laying: Laying) -> None:
        packs = laying.kept(self._read())
        facts = laying.facts()
        match laying:
            case Enrolling():
                self._note(person, ENROLLED_NOTE, facts.name, back=laying.wanted.back, cards=facts.cards)
            case Checking():
                foreign = facts.unknown + sum(facts.others.values())
                self._note(person, CHECKED_NOTE, facts.name, found=facts.laid, of=facts.cards, foreign=foreign)
            case _:
                self._note(person, REPLACED_NOTE, facts.name, which=laying.wanted.card)
        if laying.work is not PackWork.CHECK:
            self._write(packs)
        self._end()

    def _note(self, person: Person, note: str, pack: str, **details: str | int) -> None:
        self._keeper.note_by_hand(person, note, None, pack=pack, **details)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody changes the list meanwhile at the console. Raises PackRefused where somebody does."""
        with _refusing(), self._kept().alone(wait=False):
            self._take_up()
            yield

    def _read(self) -> PackList:
        with _refusing():
            return self._kept().read()

    def _write(self, packs: PackList) -> None:
        with _refusing():
            self._kept().write(packs)
        self._known, self._mark = packs, self._kept().mark()
        self._bridge.packs_changed()

    def _kept(self) -> PackShelf:
        if self._shelf is None:
            raise PackRefused("this table keeps no list of packs")
        return self._shelf

    # -- ending

    def _happened(self, event: Event, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if self._round is not None and isinstance(output.value, Phase):
                self._round.be(in_a_round=output.value.phase not in RESTING)
        over = isinstance(event, TestMode) and not event.on
        if self._laying is not None and (over or not self._keeper.between_rounds):
            self._end()

    def _go_on(self) -> None:
        self._until = self._keeper.now + IDLE_SECONDS
        self._bridge.cards_are_laid(laid=True)

    def _end(self) -> None:
        self._laying = None
        self._bridge.cards_are_laid(laid=False)
