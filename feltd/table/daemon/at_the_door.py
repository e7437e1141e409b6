"""The door of a running table, which answers the page.

The interface and its contract: `feltd.door.TableDoor`.
"""

import asyncio
from collections.abc import Callable

from feltd.door import (
    AccessFact,
    Answered,
    CommandRefused,
    DecisionRequest,
    ExportFact,
    LoopFacts,
    NewAnswers,
    NotOnDiskError,
    Person,
    RecordRows,
    RulebookInForce,
    SignatureFacts,
    StaffMember,
    TableCounters,
    TableState,
    TestState,
    UnknownDeviceError,
)
from feltd.door.devices import DevicesFacts, TestFacts, TrialKind
from feltd.door.obeying import FloorCommand, FloorReceipt, Obeyed, ShownCode, SignedCommand, TournamentCommand
from feltd.door.packs import PacksFacts, PackState, PackStep, PackWanted
from feltd.door.serving.refused import DoorRefusals
from feltd.door.together import StepFacts, StepKind
from feltd.door.witnessing import WitnessWord
from feltd.record.rows import JournalRows
from feltd.table.daemon.at_rest import TextAtRest
from feltd.table.daemon.old_keys import RECORD
from feltd.table.daemon.renewal import Renewal
from feltd.table.daemon.shown import (
    device_state,
    journal_facts,
    needed_away,
    refused_decisions,
    shown_rulings,
    told_faults,
)
from feltd.table.host import computer
from feltd.table.host.board_watch import BOARD, BoardWatch
from feltd.table.host.health import LoopLag
from feltd.table.keeper.access import AccessEntries
from feltd.table.keeper.broadcast import Broadcast
from feltd.table.keeper.by_hand import require_by_hand
from feltd.table.keeper.changes import Changes
from feltd.table.keeper.decisions import event_of, require_whole, still_waiting
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.obeying import FloorMay, Obeying
from feltd.table.keeper.receipts import Receipts
from feltd.table.keeper.signatures import Signatures
from feltd.table.keeper.staff import StaffList
from feltd.table.keeper.staff_changes import StaffChanges
from feltd.table.keeper.together import Step
from feltd.table.keeper.wished_settings import TableWishes
from feltd.table.keeper.witnessed import Witnessed
from feltd.table.links.given_words import GivenWords
from feltd.table.links.slots import Slot
from feltd.table.workshop.device_facts import gather, test_facts
from feltd.table.workshop.workshop import Workshop
from feltd.text.catalogue import say
from feltd.text.errors import JournalError
from feltd.text.language import speaking
from feltd.text.prompt_words import prompt_in_words
from table_fsm.events import Event


class AtTheDoor:
    """The door of one running table, in the table's own process."""

    def __init__(
        self,
        name: str,
        workshop: Workshop,
        signatures: Signatures,
        staff: StaffList,
        lag: LoopLag,
        changes: Changes,
        floor_may: FloorMay | None = None,
        wishes: TableWishes | None = None,
    ) -> None:
        """Serve one table.

        `name`: the table's, for people; `floor_may`: what the floor may do here; None: nothing; `wishes`: takes the
        floor's wishes, None takes none.
        """
        self._name = name
        self._keeper = workshop.keeper
        self._journal = workshop.journal
        self._workshop = workshop
        self._signatures = signatures
        self._staff = staff
        self._staff_changes = StaffChanges(staff, workshop.keeper, self._on_disk)
        self._lag = lag
        self._changes = changes
        self.broadcasting = Broadcast(workshop.keeper, workshop.journal, workshop.together, None)
        """Cards of rounds that are over, for a broadcast: nobody's until the table's file says whose."""
        self.access = AccessEntries(workshop.journal, lambda: workshop.keeper.now, workshop.bridge.wall)
        """Who comes and goes at the page, put on record."""
        self.refused = DoorRefusals()
        """What nobody at the table looked at."""
        self.board = BoardWatch(self._journal.path.parent, lambda words: workshop.bridge.tell(BOARD, words))
        """What is wrong with the computer under the table."""
        self._obeying = Obeying(
            workshop.keeper,
            floor_may or FloorMay(),
            workshop.bridge.wall,
            lambda: JournalRows(self._journal.path),
            self._on_disk,
            FloorMemory(memory_file_of(self._journal.path)) if wishes is None else wishes.books.memory,
            self._journal.reader.journal_id,
            wishes,
        )
        self.renewal = Renewal(self._rests)
        """Whether another version is installed than plays."""
        self.at_rest = TextAtRest(workshop.keeper, workshop.bridge.indicating, lambda: signatures.waiting is not None)
        """What the floor says of the record, on the display."""
        self._receipts = Receipts(
            workshop.keeper,
            workshop.journal,
            (floor_may or FloorMay()).receipts,
            lambda: JournalRows(self._journal.path),
            self._say_of_the_record,
        )
        self.witnessed = Witnessed(
            workshop.keeper,
            workshop.journal,
            lambda words: workshop.bridge.tell(RECORD, words),
            self._show_contradicted,
        )
        """How it stands with the witness, as the table's sender says."""

    away: None = None
    """A table in this process is here."""

    # -- looking

    async def state(self) -> TableState:
        """The state of the table now."""
        return self.now()

    def now(self) -> TableState:
        """The same, for the table's own process."""
        keeper, bridge = self._keeper, self._workshop.bridge
        book, counted = keeper.table.rulebook, keeper.table.denomination()
        return TableState(
            name=self._name,
            rulebook=None if book is None else RulebookInForce(book.id, book.title, book.digest),
            t=keeper.now,
            wall=bridge.wall(),
            stopped=keeper.stopped,
            view=keeper.table.view(),
            prompt=prompt_in_words(keeper.table.prompt(), counted),
            amounts=counted,
            rulings=shown_rulings(keeper),
            devices=tuple(device_state(slot) for slot in bridge.slots.values()),
            faults=told_faults(bridge),
            signatures=tuple(signature.facts(keeper.now) for signature in self._signatures.shown()),
            test=self._test(),
            journal=journal_facts(self._journal.health, keeper.waiting),
            loop=LoopFacts(round(self._lag.last * 1000, 1), round(self._lag.worst * 1000, 1)),
            testing=keeper.standing.testing,
            refused=refused_decisions(keeper),
            needed_away=needed_away(keeper.table),
            steps=self._workshop.together.shown(),
            broadcast=self.broadcasting.facts,
            put_back=bridge.indicating.put_back,
            upgrade=self.renewal.upgrade,
        )

    def _rests(self) -> bool:
        """Whether an end of the table now takes nothing from anybody but the seconds until its next start."""
        workshop = self._workshop
        return self._keeper.between_rounds and workshop.tests.running is None and not workshop.packs.is_laying

    def _test(self) -> TestState | None:
        latest = self._workshop.tests.latest
        return None if latest is None else TestState(latest.number, latest.device, latest.over, len(latest.seen))

    async def counters(self) -> TableCounters:
        """The counts for the metrics."""
        tally = self._keeper.tally
        return TableCounters(
            events=dict(tally.events),
            outputs=dict(tally.outputs),
            rulings=dict(tally.rulings),
            refused=tally.refused,
            round=self._keeper.table.round_number,
            disabled_inputs={
                name: tuple(pin.name for pin in slot.disabled) for name, slot in self._workshop.bridge.slots.items()
            },
            loop_lag=self._lag.last,
            worst_loop_lag=self._lag.worst,
            door_refused=self.refused.counts,
        )

    async def devices(self) -> DevicesFacts:
        """All facts about devices, their tests, the computer and the record."""
        disk = await asyncio.to_thread(computer.disk, self._journal.path)
        return gather(self._workshop, self._lag, disk, self.board.troubles)

    async def signature(self, number: int) -> SignatureFacts | None:
        """The decision of this number that a badge was to sign; None for no such number."""
        signature = self._signatures.find(number)
        return None if signature is None else signature.facts(self._keeper.now)

    async def staff(self) -> tuple[StaffMember, ...] | None:
        """Everybody whose badge counts; None where the list cannot be read."""
        return self._staff.members

    async def packs(self) -> PacksFacts:
        """The packs of cards that are chips, and what is being laid."""
        return self._workshop.packs.facts()

    # -- the record

    def open_record(self) -> RecordRows:
        """The record, opened without its key: cards of the round in progress stay sealed."""
        return JournalRows(self._journal.path)

    # -- following

    def on_changed(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""
        self._changes.subscribe(listener)

    def on_answers(self, listener: Callable[[NewAnswers], None]) -> None:
        """Call `listener` with the answers to each event."""
        listener(NewAnswers((), missed_until=self._journal.health.appended))
        self._keeper.on_answers(lambda answers: listener(NewAnswers(tuple(answers))))

    # -- doing

    async def act(self, person: Person, why: str | None, event: Event) -> Answered:
        """Take an event that a person has made; return when it is on the disk."""
        require_by_hand(event)
        return await self._done(person, why, event)

    async def decide(self, person: Person, decision: DecisionRequest) -> Answered:
        """Take a decision in the person's own name."""
        require_whole(decision)
        decision = still_waiting(self._keeper, decision)
        return await self._done(person, decision.reason, event_of(decision, person.signature))

    async def _done(self, person: Person, why: str | None, event: Event) -> Answered:
        answered = self._keeper.act(person, why, event)
        await self._on_disk()
        return answered

    async def obey(self, command: FloorCommand) -> Obeyed:
        """Take a decision of the floor, as far as it may; return when it is on the disk."""
        return await self._obeying.take(command)

    async def obey_signed(self, command: SignedCommand) -> Obeyed:
        """Take what the floor has signed, as far as it may; return when it is on the disk."""
        return await self._obeying.take_signed(command)

    async def obey_tournament(self, command: TournamentCommand) -> Obeyed:
        """Take an event of the floor's tournament, where it may; return when it is on the disk."""
        return await self._obeying.take(command)

    def _say_of_the_record(self, words: str) -> None:
        bridge = self._workshop.bridge
        bridge.tell(RECORD, words)
        with speaking(bridge.indicating.language):
            text = say("Record: the floor has other entries of it. Call a technician")
        self.at_rest.say(text)

    def _show_contradicted(self) -> None:
        with speaking(self._workshop.bridge.indicating.language):
            text = say("Record: a witness has other entries of it. Call a technician")
        self.at_rest.say(text)

    async def hear_witness(self, word: WitnessWord) -> None:
        """Take the word of the table's sender on how it stands with the witness."""
        self.witnessed.hear(word)

    async def take_receipt(self, receipt: FloorReceipt) -> bool:
        """Enter a receipt of the floor into the record, one after each round at most."""
        return await self._receipts.take(receipt)

    async def show_code(self, code: ShownCode) -> bool:
        """Show the code by which the floor is to know this table, while no round is in progress."""
        return self._show_first(self._workshop.bridge.code, code.code)

    async def show_fingerprint(self, fingerprint: str) -> bool:
        """Show the fingerprint of the page's own certificate, while no round is in progress."""
        bridge = self._workshop.bridge
        self._show_first(bridge.fingerprint, fingerprint)
        return bridge.shows_fingerprint

    def _show_first(self, given: GivenWords, words: str) -> bool:
        indicating = self._workshop.bridge.indicating
        given.give(words)
        indicating.show_order()  # also where they are those of before: what ended a round may not have told the display
        return indicating.has_display

    async def ask_for_badge(self, person: Person, decision: DecisionRequest) -> SignatureFacts:
        """Ask for a badge of somebody who may decide, to sign a decision."""
        require_whole(decision)
        signature = self._signatures.ask(person, decision)
        await self._on_disk()
        return signature.facts(self._keeper.now)

    async def withdraw(self, person: Person, number: int) -> None:
        """Withdraw the person's own request for a badge."""
        self._signatures.withdraw(person, number)

    async def keep_staff(self, person: Person, why: str, members: tuple[StaffMember, ...]) -> None:
        """Keep this list of people with a badge; each change is in the record."""
        if await self._staff_changes.keep(person, why, members):
            await self._on_disk()

    async def broadcast(self, person: Person, *, on: bool) -> None:
        """Take a person's wish for the broadcast of cards."""
        self.broadcasting.want(person, on=on)
        self._changes.tell()
        await self._on_disk()

    async def begin_test(
        self, person: Person, device: str, kind: TrialKind, *, lamp: str | None = None, expect: str | None = None
    ) -> TestFacts:
        """Begin a test of a device."""
        self._slot(device)
        trial = self._workshop.tests.begin(person, device, kind, lamp=lamp, expect=expect)
        await self._on_disk()
        return test_facts(trial, self._keeper.now)

    async def end_test(self, person: Person | None, device: str) -> None:
        """End the test of this device, if one runs; `person` counts for the budget alone."""
        self._slot(device)
        running = self._workshop.tests.running
        if running is not None and running.device == device:
            self._workshop.tests.end()
            await self._on_disk()

    async def ask_step(self, person: Person, kind: StepKind, about: str, reason: str) -> StepFacts:
        """Ask for a step that takes two people."""
        if kind is StepKind.DEVICE_KEY:
            self._slot(about)
            self._workshop.changeable(about)
        elif kind is StepKind.BROADCAST:
            raise CommandRefused("the broadcast of cards is asked for on its own page")
        return await self._told(self._workshop.together.ask(person, kind, about, reason))

    async def approve_step(self, person: Person, number: int) -> StepFacts:
        """Approve another person's step."""
        step = self._workshop.together.approve(person, number)
        if step.kind is StepKind.BROADCAST:
            self.broadcasting.turn_on(person, step)
        return await self._told(step)  # the page, which has the accounts, changes one once this is on the disk

    async def tell_step(self, second: Person, number: int, fault: str | None) -> StepFacts:
        """Take how a change of an account went."""
        return await self._told(self._workshop.together.tell(second, number, fault))

    async def end_step(self, person: Person, number: int) -> StepFacts:
        """Take back one's own step, or refuse another's."""
        return await self._told(self._workshop.together.end(person, number))

    async def take_step(self, user: Person, kind: StepKind, about: str) -> StepFacts:
        """Let the machine do an update that two people want."""
        return await self._told(self._workshop.together.take(user, kind, about))

    async def _told(self, step: Step) -> StepFacts:
        await self._on_disk()
        return step.facts(self._keeper.now)

    async def new_key(self, person: Person, device: str, given: str | None) -> str | None:
        """Give a device another key; return the key as hex if it was made here."""
        self._slot(device)
        key = self._workshop.new_key(person, device, given)
        await self._on_disk()
        return key.hex() if given is None else None

    async def key_back(self, person: Person, device: str) -> None:
        """Restore the key that a device had before the last change."""
        self._slot(device)
        self._workshop.key_back(person, device)
        await self._on_disk()

    async def accept(self, person: Person, device: str) -> str | None:
        """Accept a replaced device, its disabled inputs, and that events of it are missing."""
        slot = self._slot(device)
        if slot.replaced is None and not slot.disabled and slot.missing is None:
            text = "no other device is in its place, no input of it is disabled, and no event of it is missing"
            raise CommandRefused(f"{device}: {text}")
        self._workshop.accept(person, device)
        await self._on_disk()
        return None if slot.identity is None else slot.identity.serial

    async def begin_pack(self, person: Person, wanted: PackWanted) -> PacksFacts:
        """Begin to lay cards on the table's readers."""
        self._workshop.packs.begin(person, wanted)
        return await self.packs()

    async def step_pack(self, person: Person, step: PackStep) -> PacksFacts:
        """Say how it goes on with the cards that are laid."""
        self._workshop.packs.step(person, step)
        await self._on_disk()
        return await self.packs()

    async def swap_cards(self, person: Person, name: str, card: str, other: str) -> PacksFacts:
        """Exchange the chips of two cards of a pack."""
        self._workshop.packs.swap(person, name, card, other)
        await self._on_disk()
        return await self.packs()

    async def put_pack(self, person: Person, name: str, state: PackState) -> PacksFacts:
        """Put a pack to use, to rest, or retire it for good."""
        self._workshop.packs.put(person, name, state)
        await self._on_disk()
        return await self.packs()

    # -- who comes and goes

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Put what happened at the page on record; return when it is on the disk."""
        self.access.tell(page, facts)
        if self._journal.synced < self.access.last:  # else a page that tells old news would hurry what may wait
            await self._on_disk()

    async def note_export(self, person: Person, export: ExportFact) -> int:
        """Put an export on record; return its entry when it is on the disk."""
        entry = self.access.export(person, export)
        await self._on_disk()
        return entry

    def _slot(self, device: str) -> Slot:
        slot = self._workshop.bridge.slots.get(device)
        if slot is None:
            raise UnknownDeviceError(device)
        return slot

    async def _on_disk(self) -> None:
        """Wait until everything recorded so far is on the disk.

        Raises NotOnDiskError.
        """
        try:
            await self._journal.flush()
        except JournalError as fault:
            raise NotOnDiskError(str(fault)) from None
