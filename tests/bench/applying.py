"""`Table.apply` for each event, beside two bare state machines that are driven through the same phases.

A bare machine fires one trigger an event: the change of phase where the table's phase changed, else one that stays. It
knows no cards, bets or rules; the ratio says what those cost.

The same rounds are played several times, each time at a new table, and an event costs the least that it took: the rest
is what the host did meanwhile. The first play alone is told beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from time import perf_counter_ns
from typing import Any, Final

from statemachine import State, StateMachine
from transitions import Machine

from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.bench.report import Row, Spread, micro
from tests.bench.rounds import Played

GOAL: Final = 20.0  # microseconds an event, on average
RARE_GOAL: Final = 120.0  # microseconds that one event of a hundred may exceed
PLAYS: Final = 5
LOADING_GOAL: Final = 0.5  # seconds
_OTHER: Final = "python-statemachine"

_Call = tuple[Callable[..., object], tuple[Any, ...]]
"""A contender's work for one event: what to call, and with what."""


def measure(rulebooks: Mapping[str, Rulebook], played: Mapping[str, Played]) -> list[Row]:
    """One line a book that was played, the slowest last; and beside the first what another library would take."""
    costs = {book: _run(_contenders(rulebooks, rounds), PLAYS) for book, rounds in played.items()}
    ordered = sorted(played, key=lambda book: costs[book]["table"].least.mean)
    rows = [_row(book, played[book], costs[book]) for book in ordered]
    first = next(iter(played))
    beside = _run(_with_other(rulebooks, played[first]), 1)
    other, table = beside[_OTHER].least, beside["table"].least
    name = f"– {first}, beside bare {_OTHER}, one play"
    return [*rows, Row(name, f"mean {micro(table.mean)}", f"mean {micro(other.mean)}", ratio=table.mean / other.mean)]


def measure_loading(times: int) -> list[Row]:
    """The line: all shipped rulebooks and structures read, checked and made ready for play, so many `times`."""
    took: list[float] = []
    books = 0
    for _ in range(times):
        start = perf_counter_ns()
        books = len(load_library(rulebook_sources(), structure_sources()))
        took.append((perf_counter_ns() - start) / 1e9)
    seconds = median(took)
    return [
        Row(
            f"all rulebooks and structures loaded, {books} books, median of {times}",
            f"{seconds:.2f} s",
            ratio=seconds / LOADING_GOAL,
            goal=f"{LOADING_GOAL:g} s",
            reached=seconds < LOADING_GOAL,
        )
    ]


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds an event: the least of all plays, and the first play alone."""

    least: Spread
    first: Spread

    @classmethod
    def of(cls, plays: Sequence[Sequence[float]]) -> "Cost":
        """Of what each event took in each play."""
        return cls(Spread.of([min(taken) for taken in zip(*plays, strict=True)]), Spread.of(plays[0]))


_Contenders = dict[str, Callable[[], list[list[_Call]]]]
"""By name, what makes a contender anew: its calls, by round."""


def _contenders(rulebooks: Mapping[str, Rulebook], played: Played) -> _Contenders:
    return {
        "table": lambda: _table(rulebooks, played),
        "transitions": lambda: _triggers(_bare_transitions(played), played),
    }


def _with_other(rulebooks: Mapping[str, Rulebook], played: Played) -> _Contenders:
    """The other library's machine takes several times as long as the table: it is played once, for one book."""
    return {
        "table": lambda: _table(rulebooks, played),
        _OTHER: lambda: _triggers(_bare_statemachine(played), played),
    }


def _run(makes: _Contenders, plays: int) -> dict[str, Cost]:
    """What each contender takes. They take turns by the round, each time another one first."""
    names = list(makes)
    taken: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(plays):
        contenders = {name: make() for name, make in makes.items()}
        for name in names:
            taken[name].append([])
        for number in range(len(contenders[names[0]])):
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                _time(contenders[name][number], taken[name][-1])
    return {name: Cost.of(plays) for name, plays in taken.items()}


def _time(calls: Sequence[_Call], taken: list[float]) -> None:
    clock = perf_counter_ns
    for work, arguments in calls:
        start = clock()
        work(*arguments)
        taken.append((clock() - start) / 1000)


def _table(rulebooks: Mapping[str, Rulebook], played: Played) -> list[list[_Call]]:
    apply = Table(rulebooks).apply
    return [[(apply, (event,)) for event in events] for events in played.rounds]


def _triggers(machine: Any, played: Played) -> list[list[_Call]]:
    """By round, the trigger of each event."""
    calls: list[list[_Call]] = []
    before = "closed"
    for phases in played.phases:
        calls.append([])
        for phase in phases:
            trigger = getattr(machine, "stay" if phase == before else _enter(phase))
            calls[-1].append((trigger, ()))
            before = phase
    return calls


def _moves(played: Played) -> dict[str, list[str]]:
    """Every phase there was, with those it was entered from."""
    entered: dict[str, list[str]] = {"closed": []}
    before = "closed"
    for phase in chain.from_iterable(played.phases):
        sources = entered.setdefault(phase, [])
        if phase != before and before not in sources:
            sources.append(before)
        before = phase
    return entered


def _enter(phase: str) -> str:
    return f"enter_{phase.replace('.', '_')}"


def _bare_transitions(played: Played) -> Any:
    moves = _moves(played)
    machine = Machine(states=list(moves), initial="closed", auto_transitions=False)
    for phase, sources in moves.items():
        for source in sources:
            machine.add_transition(_enter(phase), source, phase)
    machine.add_transition("stay", "*", None)
    return machine


def _bare_statemachine(played: Played) -> Any:
    moves = _moves(played)
    states = {phase: State(phase, initial=phase == "closed") for phase in moves}
    members: dict[str, Any] = {f"in_{_enter(phase)}": state for phase, state in states.items()}
    for phase, sources in moves.items():
        for source in sources:
            move = states[source].to(states[phase])
            members[_enter(phase)] = members[_enter(phase)] | move if _enter(phase) in members else move
    for state in states.values():
        to: Any = state.to
        stay = to.itself(internal=True)
        members["stay"] = members["stay"] | stay if "stay" in members else stay
    make: Any = type(StateMachine)
    return make("BareStateMachine", (StateMachine,), members)()


def _row(book: str, played: Played, costs: Mapping[str, Cost]) -> Row:
    table, bare = costs["table"], costs["transitions"].least
    least, first = table.least, table.first
    return Row(
        f"Table.apply, {book}, {len(played.rounds)} rounds, {least.count} events, least of {PLAYS} plays",
        f"mean {micro(least.mean)}, p99 {micro(least.p99)}; the first play {micro(first.mean)}, {micro(first.p99)}",
        f"bare transitions, mean {micro(bare.mean)}",
        least.mean / bare.mean,
        f"mean at most {micro(GOAL)}, p99 {micro(RARE_GOAL)}",
        least.mean <= GOAL and least.p99 <= RARE_GOAL,
    )
