"""All moments of a book: those of a clean round, and those that another round leads to."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from feltd.books.moments.croupier import Croupier
from feltd.books.moments.moment import Absent, AnyMoment, Moment, Reader, When, of_round
from feltd.books.moments.setting import PAIR, Setting
from feltd.books.moments.stream import Stream
from feltd.books.moments.trace import Prepare, Trace, play
from table_fsm.rulebook import Rulebook
from table_fsm.structures.levels import break_ahead
from table_fsm.structures.structure import Structure

Books = Mapping[str, Rulebook]


def all_moments(setting: Setting, books: Books) -> list[AnyMoment]:
    """Every moment of the book with this setting, in the order of a round."""
    clean = Reader(play(setting, books))
    plain = [_unchecked(setting, books), *of_round(clean)]
    return [
        *plain,
        *_after_misdeal(setting, books),
        *_heads_up(setting, books),
        *_two_left(setting, books),
        *_all_in(setting, books),
        *_all_are_in(setting, books),
        *_in_break(setting, books),
        *_held(setting, books),
        *(_again(moment) for moment in plain if _may_come_again(moment, setting.book)),
    ]


def _unchecked(setting: Setting, books: Books) -> Moment:
    stream = Stream.on(setting, books)
    Croupier(stream).open(checked=False)
    return Moment("check", "before the check of the pack", When.BEFORE, setting, tuple(stream.done))


_LIKE_OTHERS = frozenset({When.BETWEEN, When.SETTLED, When.ACTED, When.COMING})


def _may_come_again(moment: AnyMoment, book: Rulebook) -> bool:
    """Whether a fault is looked at here a second time: on the first two streets and on the last."""
    names = [_street_name(book, number) for number in range(len(book.streets))]
    street = moment.name.split(".")[0]
    shown = street not in names or street in (*names[:2], names[-1])
    return shown and moment.when not in _LIKE_OTHERS and moment.name != "second.deal.1"


def _again(moment: AnyMoment) -> AnyMoment:
    name, words = f"again/{moment.name}", f"again, {moment.words}"
    if isinstance(moment, Absent):
        return replace(moment, name=name, words=words, when=When.AGAIN)
    return replace(moment, name=name, words=words, when=When.AGAIN, twice=True)


def _after_misdeal(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """A misdeal declared after the second card: before and after the shuffle, and in the deal that follows."""
    done: list[bool] = []

    def declare(croupier: Croupier) -> None:
        if not done and sum(map(len, croupier.stream.layout.zones.values())) >= 2:
            done.append(True)
            croupier.stream.do("supervisor", decision="misdeal", staff="S1")

    wanted = ("shuffle", "cut", "stakes", "deal.1", "deal.1b", "deal.last")
    trace = play(setting, books, declare)
    cut = next((n for n, mark in enumerate(trace.marks) if mark.name == "shuffle" and mark.cards), 0)
    rest = Trace(trace.setting, trace.done, trace.marks[cut:], trace.odd)
    reader = Reader(rest, "misdeal/", When.MISDEAL, "after a misdeal, ")
    opening = _street_name(setting.book, 0) + ".open"
    yield from _only(of_round(reader), (*wanted, opening))


def _only(moments: Iterator[AnyMoment], names: tuple[str, ...]) -> Iterator[AnyMoment]:
    return (moment for moment in moments if moment.name.rsplit("/", maxsplit=1)[-1] in names)


def _street_name(book: Rulebook, number: int) -> str:
    name = book.streets[number].name
    return f"street{name}" if name.isdigit() else name


def _key_moments(book: Rulebook) -> tuple[str, ...]:
    """The moments that are looked at in rounds of another shape."""
    streets = [_street_name(book, number) for number in range(len(book.streets))]
    later = [f"{name}.{part}" for name in streets[1:] for part in ("owed", "open", "begun")]
    return (f"{streets[0]}.open", f"{streets[0]}.begun", *later, "showdown", "settled")


def _missing(prefix: str, words: str, when: When, reason: str) -> Iterator[Absent]:
    yield Absent(prefix + "all", words, when, reason)


def _heads_up(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """A table of two players."""
    seats, said = setting.book.seats, "two players, "
    least = max(seats.least_players, seats.least_to_begin or 0)
    if seats.least_players > len(PAIR):
        yield from _missing("pair/", said + "any moment", When.HEADS_UP, f"a round needs {least} players")
        return
    pair = replace(setting, seats=PAIR)
    trace = _with_leavers(setting, books) if least > len(PAIR) else play(pair, books)
    reader = Reader(trace, "pair/", When.HEADS_UP, said)
    deal = ("deal.1", "deal.1b", "deal.2", "deal.last")
    yield from _only(of_round(reader), (*deal, *_key_moments(setting.book)))


def _with_leavers(setting: Setting, books: Books) -> Trace:
    """A table that begins with all its players and goes on with two."""
    left: list[bool] = []

    def leave(croupier: Croupier) -> None:
        if not left and croupier.stream.done[-1]["ev"] == "hand.end":
            left.append(True)
            for seat in setting.seats:
                if seat not in PAIR:
                    croupier.stream.do("seat.out", seat=seat)

    trace = play(setting, books, leave, rounds=3)
    later = tuple(replace(mark, round=mark.round - 1) for mark in trace.marks if mark.round)
    return Trace(trace.setting, trace.done, later, trace.odd)


def _two_left(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """All but two have folded in the first betting round."""
    said = "two are left in the round, "
    reason = _no_bets(setting)
    if reason:
        yield from _missing("two-left/", said + "any moment", When.HEADS_UP, reason)
        return
    reader = Reader(play(setting, books, fold_to=2), "two-left/", When.HEADS_UP, said)
    yield from _only(of_round(reader), _key_moments(setting.book)[2:])


def _no_bets(setting: Setting) -> str:
    if setting.book.banked == "house":
        return "the players bet against the house, not against each other"
    return "" if setting.keys else "without a keypad the table hears of no action"


def _all_in(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """The first to act is all in for less than the others put in."""
    said, reason = "one player is all in, ", _no_bets(setting)
    if reason:
        yield from _missing("all-in/", said + "any moment", When.ALL_IN, reason)
        return
    gone: list[bool] = []

    def short(croupier: Croupier) -> None:
        prompt = croupier.stream.prompt or {}
        if not gone and "act" in prompt and prompt.get("owes"):
            gone.append(True)
            croupier.stream.do("action", seat=prompt["act"], action="all_in", cents=max(1, prompt["owes"] // 2))

    reader = Reader(play(setting, books, short), "all-in/", When.ALL_IN, said)
    yield from _only(of_round(reader), _key_moments(setting.book)[1:])


def _in_break(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """A break of the schedule: a round that begins in it, and one that was cut before it and goes on."""
    said = "in a break, "
    structure = _with_breaks(setting)
    if structure is None:
        yield from _missing("break/", said + "any moment", When.BREAK, "no structure of the book has a break")
        return
    own = setting.with_options({"structure": structure.id, "blinds": None, "ante": None})
    begins = Reader(play(own, books, _break_at_once(structure)), "break/", When.BREAK, said)
    yield from _only(of_round(begins), ("shuffle", "cut", "stakes", "deal.1"))
    goes_on = Reader(play(own, books, _break_after_cut(structure)), "break/cut-before/", When.BREAK, said)
    yield from _only(of_round(goes_on), ("deal.1", "deal.last", _key_moments(setting.book)[0], "between"))


def _with_breaks(setting: Setting) -> Structure | None:
    """The first structure with a break that a table of this setting can be opened with."""
    rule = setting.book.options.get("structure")
    if rule is None or rule.default is not None:
        return None
    structures = (setting.book.structures[str(name)] for name in rule.values or ())
    return next((each for each in structures if break_ahead(each, 0) is not None), None)


def _break_at_once(structure: Structure) -> Prepare:
    """Before the shuffle the clock comes to the first break, which stays until the croupier waits for its end."""
    begun: list[bool] = []

    def begin(croupier: Croupier) -> None:
        if not begun:
            begun.append(True)
            _run_clock(croupier, structure, seconds_before=1)
            croupier.stream.do("tick", after=2.0)

    return begin


def _break_after_cut(structure: Structure) -> Prepare:
    """The shuffled pack is cut, which begins the deal, and then the clock comes to the first break."""
    begun: list[str] = []

    def begin(croupier: Croupier) -> None:
        if not begun:
            begun.append("clock")
            _run_clock(croupier, structure, seconds_before=60)
        elif begun == ["clock"] and next(iter(croupier.stream.prompt or {}), "") != "shuffle":
            begun.append("break")
            croupier.stream.do("cut", by="dealer", depth=20)
            croupier.stream.do("tick", after=61.0)

    return begin


def _run_clock(croupier: Croupier, structure: Structure, seconds_before: int) -> None:
    ahead = break_ahead(structure, 0)
    assert ahead is not None
    croupier.stream.do("tournament.clock", running=True, elapsed=ahead.in_seconds - seconds_before)


def _held(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """Hand for hand: the hand waits, is let go, and an all-in is called."""
    said = "hand for hand, "
    if setting.book.tournament.hand_for_hand == "none":
        yield from _missing("held/", said + "any moment", When.HELD, "the book has no hand for hand")
        return
    yield from _held_hand(setting, books)
    yield from _held_showdown(setting, books)


def _start_held(on: list[bool]) -> Prepare:
    def start(croupier: Croupier) -> None:
        if not on:
            on.append(True)
            croupier.stream.do("tournament.hand_for_hand", on=True)

    return start


def _held_hand(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    reader = Reader(play(setting, books, _start_held([])), "held/", When.HELD, "hand for hand, ")
    waits = reader.trace.first(lambda mark: mark.prompt.get("wait") == "go")
    yield reader.at("wait", "the hand waits for the director", When.HELD, waits, "no hand waits")
    names = ("cut", "deal.1", "deal.last", *_key_moments(setting.book)[:3], "between")
    yield from _only(of_round(reader), names)


def _held_showdown(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    trace = play(setting, books, _everybody_goes(_start_held([])))
    reader = Reader(trace, "held/", When.HELD, said="hand for hand, ")
    held = trace.first(lambda mark: mark.prompt.get("wait") == "go" and bool(mark.cards))
    yield reader.at("showdown", "an all-in was called", When.HELD, held, "nothing is held")


def _everybody_goes(start: Prepare | None = None) -> Prepare:
    """Who is to act is all in: for what there is to meet, or else with the least bet."""

    def go(croupier: Croupier) -> None:
        if start is not None:
            start(croupier)
        for _ in croupier.stream.setting.seats:
            prompt = croupier.stream.prompt or {}
            if "act" in prompt:
                cents = prompt.get("owes") or croupier.least_bet()
                croupier.stream.do("action", seat=prompt["act"], action="all_in", cents=cents)

    return go


_BETS = frozenset({"act", "open", "close"})


def _all_are_in(setting: Setting, books: Books) -> Iterator[AnyMoment]:
    """Everybody is all in in the first betting round: before the next card."""
    said, reason = "everybody is all in, ", _no_bets(setting)
    if reason:
        yield from _missing("called/", said + "any moment", When.ALL_IN, reason)
        return
    trace = play(setting, books, _everybody_goes())
    reader = Reader(trace, "called/", When.ALL_IN, said)
    all_in = next((at for at, deed in enumerate(trace.done) if deed.get("action") == "all_in"), len(trace.done))
    after = trace.first(lambda mark: not mark.round and mark.at > all_in and mark.name not in _BETS)
    yield reader.at("next", "the next card is not dealt yet", When.ALL_IN, after, "nothing is dealt any more")
    names = ("showdown", "settled")
    yield from _only(of_round(reader), names)
