"""State of the table, outputs of the current event, and the way from a fault to a ruling.

The modules of `table_fsm.play` work on a `Core`; `Table` drives it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from table_fsm.core import alarms
from table_fsm.core.betting_state import ForcedBets
from table_fsm.core.findings import Finding
from table_fsm.core.flow import RoundFlow
from table_fsm.core.house_state import House
from table_fsm.core.machine import RoundMachine
from table_fsm.core.options import Options
from table_fsm.core.round import Round, RuledMatter
from table_fsm.core.stage import RoundStages, Stage
from table_fsm.core.standing import DeckRecord, GivenRuling, PendingRuling, Standing
from table_fsm.errors import Refused
from table_fsm.felt import full_deck
from table_fsm.outputs import Buzzer, BuzzerPattern, Display, Output, Ruling, Value
from table_fsm.poker.cards.tracker import CardTracker
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import SHOE_MATTERS, Irregularity
from table_fsm.rulebook.model import Book, Row, Street
from table_fsm.rulebook.outcomes import PENDING_OUTCOMES, Outcome
from table_fsm.rulebook.precedence import ENDS_ROUND, outlasts_round
from table_fsm.structures.structure import Level, Structure

_new_tuple: Final = tuple.__new__
CLOSED: Final = "the table is closed: send table.open first"
NO_FACTS: Final[Mapping[str, str]] = {}
MONEY_MATTERS: Final = frozenset({Irregularity.COMMISSION_MISMATCH, Irregularity.COLOUR_CHANGE_UNWITNESSED})
OTHER_THAN_CARDS: Final = MONEY_MATTERS | {Irregularity.DROPBOX_UNSAFE, Irregularity.TOO_FEW_PLAYERS}
"""Irregularities whose alarms name no deck."""

OutcomeRule: TypeAlias = Callable[["Core", Outcome, int | None], None]


class _ClosedTable:
    """Stands in for the book of a closed table: any access raises Refused."""

    def __getattr__(self, name: str) -> Any:
        raise Refused(CLOSED)


_CLOSED_TABLE: Final = _ClosedTable()


def _structure(rulebook: Rulebook, options: Options) -> Structure | None:
    """The blind structure that a tournament is opened with; None where it has amounts of its own."""
    name = options.structure
    if not options.tournament or not isinstance(name, str) or options.blinds is not None or options.ante is not None:
        return None
    return rulebook.structures.get(name)


class Core:
    """State of a table and the outputs of the event in hand.

    `apply_outcome` says what an outcome does to the round, `undo_outcome` how it is undone.
    """

    def __init__(
        self,
        rulebooks: Mapping[str, Rulebook],
        make_flow: Callable[["Core"], RoundFlow],
        make_stages: Callable[["Core"], RoundStages],
        apply_outcome: OutcomeRule,
        undo_outcome: OutcomeRule,
    ) -> None:
        self.rulebooks = rulebooks
        self.rulebook: Rulebook | None = None
        self.book = cast(Book, _CLOSED_TABLE)
        """The open table's book; raises Refused while the table is closed."""
        self.rounds = cast(RoundMachine, _CLOSED_TABLE)
        """The machine of the round; raises Refused before a table has been opened."""
        self.own_stakes: Level | None = None
        """Blinds and ante that the table was opened with."""
        self.standing = Standing()
        self.options = Options()
        """The options that the table was opened with."""
        self.round = Round(CardTracker(full_deck()))
        self.outputs: list[Output] = []
        self.t = 0.0
        self.found: list[Finding] = []
        """Faults found on the event in hand that have not been judged yet."""
        self.ruled: list[Finding] = []
        """Faults of the event in hand that have been ruled on."""
        self.taken = False
        """The event in hand has been handled, so deadlines at its very second are due."""
        self.boundary = False
        """The event in hand has left the table between two rounds."""
        self.moved = False
        """The event in hand has moved the round on."""
        self.ruling_shown = False
        """A ruling was on the display as the event before ended."""
        self.stages = make_stages(self)
        self.stage: Final[Callable[[], Stage]] = self.stages.now
        """The current stage, which handles the event. A property would cost a second call, several times an event."""
        self.flow = make_flow(self)
        """The verbs by which one subject moves the round on through others."""
        self._apply_outcome = apply_outcome
        self._undo_outcome = undo_outcome

    # -- shorthand

    def need_open(self) -> None:
        """Raise Refused while the table is closed."""
        if not self.standing.open:
            raise Refused(CLOSED)

    def resume(self, standing: Standing) -> None:
        """Take over the state that a snapshot has kept, and its time."""
        self.standing = standing
        self.ruling_shown = standing.is_ruled
        self.t = standing.last_t
        self.options = Options.of(standing.options)

    def adopt(self, rulebook: Rulebook, rest: str, own_stakes: Level | None) -> None:
        """Take a book, and the table's own stakes if it has any, for the open table.

        `rest`: the state in which the table rests between rounds.
        """
        self.rulebook, self.book, self.own_stakes = rulebook, rulebook.book, own_stakes
        self.options = Options.of(self.standing.options)
        self.structure = _structure(rulebook, self.options)
        self.rounds = RoundMachine(rulebook.book)
        self.rounds.rest(rest)
        self.fresh_round()

    def close(self) -> None:
        """Close the table; from now on access to its book raises Refused."""
        self.standing.open, self.own_stakes = False, None
        self.book = cast(Book, _CLOSED_TABLE)

    @property
    def in_round(self) -> bool:
        """Whether a card of this round has been dealt and the round is not over."""
        return self.round.started

    @property
    def street(self) -> Street:
        """The street in progress."""
        return self.book.streets[self.round.street]

    def collecting(self) -> bool:
        """Whether a misdeal or void round is being collected; the next shuffle ends that."""
        return self.standing.collecting

    def past(self, deadline: float) -> bool:
        """Whether a deadline, in table seconds, has passed.

        Until the event in hand has been handled, a deadline at its very second has not passed.
        """
        return self.t > deadline or (self.taken and self.t == deadline)

    def row(self, irregularity: Irregularity, facts: Mapping[str, str] = NO_FACTS) -> Row:
        """The first row of the open table's book that matches a fault with these facts."""
        assert self.rulebook is not None
        return self.rulebook.row(irregularity, facts)

    def has_row(self, irregularity: Irregularity) -> bool:
        """Whether the open table's book has a row of its own for this irregularity."""
        assert self.rulebook is not None
        return self.rulebook.has_own_row(irregularity)

    # -- answering

    def emit(self, value: Value) -> None:
        """Add an output to those of the event in hand."""
        self.outputs.append(_new_tuple(Output, (self.t, value)))  # hot path: its own constructor takes twice as long

    def find(
        self,
        irregularity: Irregularity,
        facts: Mapping[str, str] = NO_FACTS,
        *,
        seat: int | None = None,
        deck: str | None = None,
        supersedes: int | None = None,
        pack_cards: Sequence[str] | None = None,
        once: RuledMatter | None = None,
        then: Callable[[int, Row], None] | None = None,
    ) -> None:
        """Note a fault of the event in hand; `judge` rules on it, or on a graver one.

        A detector changes nothing that depends on the ruling: `then` does, with the ruling's id and row, if the fault
        is ruled on. `once`: a matter on which a round rules once. `pack_cards`: for a doubt about the whole pack, the
        cards that the ruling names (of a round that is over), or none; it waits for a person after the round too.
        """
        if once is not None and once in self.round.rulings.matters:
            return
        row = self.row(irregularity, facts)
        self.found.append(
            Finding(
                irregularity,
                row,
                seat,
                self.round,
                deck,
                supersedes,
                cards=tuple(pack_cards or ()),
                beyond_round=pack_cards is not None,
                once=once,
                then=then,
            )
        )

    def judge(self) -> None:
        """Rule on the faults found so far on the event in hand, by the book's precedence.

        It is called after each event, and within one before the round moves on because of it.
        """
        while self.found:
            found, self.found = self.found, []
            assert self.rulebook is not None
            for finding in self.rulebook.precedence.standing(found, self.ruled):
                if finding.round is self.round or outlasts_round(finding.irregularity, finding.row):
                    self._give(finding)

    def rule(
        self,
        irregularity: Irregularity,
        facts: Mapping[str, str] = NO_FACTS,
        *,
        seat: int | None = None,
        deck: str | None = None,
        supersedes: int | None = None,
        once: RuledMatter | None = None,
    ) -> Row | None:
        """Note a fault and judge at once; return its row, or None where it was not ruled on.

        For faults that no other can be found beside, because the round moves on by the ruling.
        """
        given: list[Row] = []
        self.find(
            irregularity,
            facts,
            seat=seat,
            deck=deck,
            supersedes=supersedes,
            once=once,
            then=lambda _, row: given.append(row),
        )
        self.judge()
        return given[0] if given else None

    def will_end(self) -> bool:
        """Whether a fault found on the event in hand will end the round."""
        return bool(self.found) and any(ENDS_ROUND & {finding.row.outcome, *finding.row.also} for finding in self.found)

    def _give(self, finding: Finding) -> None:
        """Give the ruling on a fault: say it, let it wait for a person where it must, carry it out."""
        row, seat, deck = finding.row, finding.seat, finding.deck
        self.ruled.append(finding)
        if finding.once is not None:
            finding.round.rulings.settle(finding.once)
        standing = self.standing
        standing.attention = True
        number = standing.next_ruling
        standing.next_ruling += 1
        waits = next((outcome for outcome in (row.outcome, *row.also) if outcome in PENDING_OUTCOMES), None)
        self.emit(
            Ruling(
                id=number,
                supersedes=finding.supersedes,
                rulebook=standing.rulebook,
                rule=row.rule,
                irregularity=finding.irregularity.value,
                outcome=row.outcome.value,
                also=tuple(outcome.value for outcome in row.also),
                seat=seat,
                authority=row.authority.value,
                pending=waits is not None,
                text=row.text,
                cards=finding.cards,
            )
        )
        self.emit(Display(row.text, row.rule))
        self.emit(Buzzer(BuzzerPattern.LONG if waits is not None else BuzzerPattern.SHORT))
        if finding.supersedes is not None:
            self.resolve([p for p in standing.pending if p.id == finding.supersedes])
        if waits is not None:
            self._wait_for_person(number, finding, waits)
        if Outcome.CHECK_DECK in row.also:
            self.deck(deck if deck is not None else finding.round.deck).fouled = True
        finding.round.rulings.give(number, GivenRuling(row.outcome, row.also, seat))
        for outcome in (row.outcome, *row.also):
            self.carry_out(outcome, seat)
        if finding.then is not None:
            finding.then(number, row)

    def forget_street(self) -> None:
        """Allow rulings on burns and communal cards again, because the street is over."""
        self.round.rulings.forget_street()

    def _wait_for_person(self, number: int, finding: Finding, waits: Outcome) -> None:
        standing, row, seat, deck = self.standing, finding.row, finding.seat, finding.deck
        irregularity = finding.irregularity
        standing.pending.append(
            PendingRuling(
                number,
                irregularity.value,
                waits.value,
                row.rule,
                row.text,
                seat,
                deck,
                standing.round_number,
                beyond_round=finding.beyond_round,
            )
        )
        if irregularity not in SHOE_MATTERS or not standing.faults:  # a shoe's fault has an alarm of its own
            of_cards = irregularity not in OTHER_THAN_CARDS and self.round.started
            about = self.round.deck if deck is None and of_cards else deck
            alarms.raise_alarm(self, irregularity.value, deck=about, seat=seat, ruling=number)

    # -- what waits for a person

    def resolve(self, rulings: list[PendingRuling]) -> None:
        """Stop these rulings from waiting for a person, and clear their alarms."""
        for pending in rulings:
            if pending not in self.standing.pending:
                continue
            self.standing.pending.remove(pending)
            for alarm in [a for a in self.standing.alarms if a.ruling == pending.id]:
                alarms.over(self, alarm)

    def of_other_pack(self, pending: PendingRuling) -> bool:
        """Whether a ruling is about the pack that is not in play; it waits for that pack's turn."""
        return pending.deck is not None and self.round.started and self.round.deck not in {None, pending.deck}

    def has_pending(self, irregularity: Irregularity, deck: str | None = None) -> bool:
        """Whether a ruling on this irregularity waits for a person.

        `deck`: only a ruling about this pack counts.
        """
        return any(
            p.irregularity == irregularity.value and (deck is None or p.deck == deck) for p in self.standing.pending
        )

    # -- decks

    def deck(self, name: str | None) -> DeckRecord:
        """The record of a pack.

        Without a name: the pack shuffled last, or the only one known. A pack first reported without a name takes its
        name from the first event that gives one.
        """
        decks = self.standing.decks
        key = self.deck_key(name)
        if key not in decks:
            decks[key] = decks.pop("") if key and "" in decks else DeckRecord()
        return decks[key]

    def deck_key(self, name: str | None) -> str:
        """The name under which a pack is recorded; empty where none is known."""
        if name:
            return name
        decks = self.standing.decks
        if self.standing.last_shuffled is not None:
            return self.standing.last_shuffled
        return next(iter(decks)) if len(decks) == 1 else ""

    @property
    def deck_size(self) -> int:
        """Number of cards in the book's deck, with the options in force."""
        return len(self.deck_cards)

    @property
    def deck_cards(self) -> frozenset[str]:
        """The cards of the book's deck, with the options in force."""
        rules = self.book.deck
        size = self.options.deck
        joker = self.options.joker
        return full_deck(
            size if isinstance(size, int) else rules.size, joker if isinstance(joker, bool) else rules.joker
        )

    @property
    def shoe_deals(self) -> bool:
        """Whether a card that the shoe did not give is a fault: the book says so, or the shoe has given cards."""
        return self.standing.shoe_gives_cards or self.book.deck.from_shoe

    # -- rounds

    def fresh_round(self) -> None:
        """Begin a new round in which nothing has been dealt."""
        cards = self.deck_cards if self.standing.open else full_deck()
        self.round = Round(
            CardTracker(cards),
            forced=ForcedBets(
                dict(self.standing.carried_posts),
                dict(self.standing.carried_antes),
                dict(self.standing.carried_all_in),
                set(self.standing.carried_entries),
            ),
            house=House(keyed=self.options.actions_keyed is True),
        )
        self.round.house.keep(self.standing.carried_chips, self.standing.chips_stay_at)
        self.round.house.take_over(self.standing.carried_wagers, self.standing.seats)
        self.boundary = True

    def keep_beginning(self) -> None:
        """Have snapshots keep what the event that left the table between two rounds has said in the new one."""
        self.standing.carried_rulings = dict(self.round.rulings.given)
        self.standing.carried_order_told = self.round.doubts.order_told

    def carry_out(self, outcome: Outcome, seat: int | None) -> None:
        """Apply an outcome to the round."""
        self._apply_outcome(self, outcome, seat)

    def take_back(self, outcome: Outcome, seat: int | None) -> None:
        """Undo an outcome that has been overruled."""
        self._undo_outcome(self, outcome, seat)

    def move(self, trigger: str) -> None:
        """Move the round's machine on, if it allows it."""
        self.moved = True
        self.rounds.fire(trigger)

    def players(self) -> list[int]:
        """Seats in order whose player is not leaving and is present, or is dealt in when absent."""
        absent_too = self.book.seats.absent != "may_be_dealt_in"
        seats = self.standing.seats
        return sorted(n for n, seat in seats.items() if not seat.leaving and (absent_too or seat.away_since is None))
