"""Whatever events come: outputs and never an exception, the same ones every time, and no card in two places."""

import json
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.events import EVENT_TYPES, FIELDS, Event, event_to_dict, parse_event
from table_fsm.felt import ZONES, full_deck
from table_fsm.library import load_library
from table_fsm.outputs import Kind
from table_fsm.table import FAULT_OF_OURS, Table

BOOKS = load_library(rulebook_sources(), structure_sources())
CARDS = [*sorted(full_deck())[:12], "Jo", None, "Zz"]
SEATS = st.one_of(st.integers(1, 6), st.sampled_from([0, 7, 10, 11, -1]))
CENTS = st.one_of(st.none(), st.sampled_from([0, 100, 200, 300, 400, 500, 1000, -5]))

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "rulebook": st.sampled_from([*BOOKS, "none-such"]),
    "seats": st.sampled_from([[1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [], [2, 2], [1, 2], [11]]),
    "options": st.sampled_from([{}, {"burn": 0}, {"burn": 2}, {"burn": 9}, {"blinds": [100, 200]}, {"nope": 1}]),
    "button": st.one_of(st.none(), SEATS),
    "seat": SEATS,
    "zone": st.sampled_from([*sorted(ZONES), "seat:11", "nowhere"]),
    "card": st.sampled_from(CARDS),
    "face": st.sampled_from(["down", "up", "up", "sideways"]),
    "deck": st.sampled_from([None, "blue", "red"]),
    "count": st.sampled_from([52, 52, 51, 53, 0, 2, 5, -1]),
    "missing": st.sampled_from([[], [], ["As"], ["??"]]),
    "foreign": st.sampled_from([[], [], ["Jo"]]),
    "duplicate": st.sampled_from([[], [], ["Kd"]]),
    "by": st.sampled_from(["dealer", "player", "shoe", "seat:2", "supervisor", "nobody"]),
    "to": st.sampled_from(["seat:1", "seat:99"]),
    "depth": st.sampled_from([None, 0, 1, 20, -3]),
    "exposed": st.sampled_from([0, 0, 0, 1]),
    "kind": st.sampled_from(["jam", "power", "lid_open", "cards_damaged", "hiccups"]),
    "marker": st.sampled_from(["button", "buck", "start", "hat"]),
    "action": st.sampled_from(["post", "ante", "check", "call", "bet", "raise", "fold", "all_in", "time_bank", "sing"]),
    "box": st.sampled_from(["ante", "blind", "trips", "play", "hat"]),
    "cents": CENTS,
    "pot": st.sampled_from([1, 2, 0]),
    "staff": st.just("s1"),
    "role": st.sampled_from(["supervisor", "inspector", "dealer", "clown"]),
    "decision": st.sampled_from(
        ["acknowledge", "confirm", "overrule", "misdeal", "void", "play_on", "resume", "check_deck", "exclude", "guess"]
    ),
    "ruling": st.sampled_from([None, 1, 2, 3, 99]),
    "outcome": st.sampled_from([None, "misdeal", "play_on", "fold_hand", "check_hand", "void_hand", "wish"]),
    "device": st.sampled_from(["shoe", "reader:board", "keys"]),
    "online": st.booleans(),
    "on": st.booleans(),
    "present": st.booleans(),
    "locked": st.booleans(),
    "entrants": st.sampled_from([6, 200, 2, 0, -1]),
    "remaining": st.sampled_from([4, 150, 1, 0, -1]),
    "comes": st.sampled_from([[], [5], [6, 7], [0], [99]]),
    "goes": st.sampled_from([[], [2], [1, 3], [9]]),
    "waits": st.sampled_from([None, 5, 0]),
    "entry": st.sampled_from([1, 2, 17, 0]),
    "nth": st.sampled_from([None, 1, 2, 0]),
    "order": st.sampled_from([1, 2, 3, 0]),
    "left": st.sampled_from([None, 1, 3, -1]),
    "imposed": st.sampled_from([None, 1, 4, -1]),
    "banks": st.sampled_from([None, 0, 2, -1]),
    "absent": st.sampled_from([None, True, False]),
    "rebuys": st.sampled_from([None, 1, -1]),
    "add_ons": st.sampled_from([None, 1, -1]),
    "first": st.sampled_from([None, 1, 4, 0]),
    "last": st.sampled_from([None, 1, 5, 0]),
}
SPARE = st.none()
REQUIRED_CENTS = {"wager", "stack", "pot", "dropbox.chip", "float.commission", "float.colour_change"}
SCRIPTED: list[dict[str, Any]] = [
    {"ev": "shoe.deck_checked", "deck": "blue", "count": 52},
    {"ev": "table.open", "seats": [1, 2, 3, 4], "button": 4},
    {"ev": "shoe.shuffled", "deck": "blue", "count": 52},
    {"ev": "cut", "depth": 20},
]


@st.composite
def raw_events(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(EVENT_TYPES))
    name = str(kind.__dataclass_fields__["ev"].default)
    raw: dict[str, Any] = {"ev": name}
    for key in FIELDS[kind]:
        if key not in {"t", "ev"} and key in VALUES:
            value = draw(st.sampled_from([None, True, False]) if (name, key) == ("wager", "marker") else VALUES[key])
            if value is not None:
                raw[key] = value
    if name == "wager":
        raw["marker"] = draw(st.booleans())  # not the name of a marker, as in marker.placed
    if name in REQUIRED_CENTS and "cents" not in raw:
        raw["cents"] = 100
    if name in {"seat.entry", "seat.conduct", "tournament.placed"} and "entry" not in raw:
        raw["entry"] = 17
    if name == "race.start":
        raw.pop("last", None)  # seats there, and a place in tournament.placed
    extra = {"chip": 25, "new_chip": 100, "odd": {}, "running": True, "elapsed": 1.0}
    raw.update({key: value for key, value in extra.items() if key in FIELDS[kind]})
    return raw


def deal(seats: int, cards: int) -> list[dict[str, Any]]:
    """The first cards of an orderly deal, from seat 1 on."""
    names = sorted(full_deck())[20:]
    zones = [f"seat:{n % seats + 1}" for n in range(cards)]
    return [{"ev": "card.placed", "zone": zone, "card": names[n], "face": "down"} for n, zone in enumerate(zones)]


HANDS = {"tas-2018-holdem": 8, "act-2001-draw": 20}
"""Cards of a whole deal to four seats."""


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    book = draw(st.sampled_from(["tas-2018-holdem", "tas-2018-holdem", "act-2001-draw", "act-2019-uth"]))
    opened = {"rulebook": book, **({"button": 1} if book == "act-2001-draw" else {})}
    start = [{**raw, **opened} if raw["ev"] == "table.open" else raw for raw in SCRIPTED]
    if book == "act-2019-uth":
        boxes: list[dict[str, Any]] = [
            {"ev": "wager", "seat": s, "box": b, "cents": 100} for s in (1, 2, 3) for b in ("ante", "blind")
        ]
        start = [*start[:3], *boxes]
    lead = start[: draw(st.integers(0, len(start)))] if draw(st.booleans()) else start
    whole = HANDS.get(book, 0) if len(lead) == len(start) else 0
    hands = deal(4, draw(st.one_of(st.just(whole), st.integers(0, whole))))
    if book == "act-2001-draw" and len(hands) == whole and draw(st.booleans()):
        hands = [*hands, {"ev": "betting.closed"}]  # on to the draw
    mad = draw(st.lists(raw_events(), max_size=25))
    t = 0.0
    events = []
    for raw in [*lead, *hands, *mad]:
        t += draw(st.sampled_from([0.5, 0.0, 1.0, 30.0, 95.0])) if raw in mad else 0.5
        if draw(st.integers(0, 60)) == 0:
            t = max(0.0, t - 5.0)
        events.append(parse_event(json.dumps({"t": t, **raw})))
    return events


def run(table: Table, events: list[Event]) -> list[str]:
    return [json.dumps(output.to_dict()) for event in events for output in table.apply(event)]


COMMON = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@COMMON
@given(streams())
def test_any_stream_gives_outputs_and_the_same_ones_every_time(events: list[Event]) -> None:
    first, second = Table(BOOKS), Table(BOOKS)
    told = run(first, events)
    assert not [line for line in told if FAULT_OF_OURS in line]
    assert told == run(second, events)
    assert first.digest() == second.digest()


def _folded_in_the_deal() -> list[Event]:
    """Two players are short of a card as the board comes, and one who has folded checks."""
    hands = deal(4, 6)
    fold, check = ({"ev": "action", "seat": 1, "action": action} for action in ("fold", "check"))
    opened = [{**raw, **({"rulebook": "tas-2018-holdem"} if raw["ev"] == "table.open" else {})} for raw in SCRIPTED]
    raws = [*opened, *hands, fold, {"ev": "card.placed", "zone": "board:1", "card": "2c"}, check]
    return [parse_event(json.dumps({"t": float(number), **raw})) for number, raw in enumerate(raws)]


@COMMON
@given(streams())
@example(_folded_in_the_deal())
def test_a_refused_event_leaves_the_state_as_it_was(events: list[Event]) -> None:
    table = Table(BOOKS)
    for event in events:
        before = table.digest()
        outputs = table.apply(event)
        if [output.kind for output in outputs] == [Kind.ERROR]:
            assert table.digest() == before, event_to_dict(event)


@COMMON
@given(streams())
def test_no_card_is_ever_in_two_places(events: list[Event]) -> None:
    table = Table(BOOKS)
    for event in events:
        table.apply(event)
        tracker = table._core.round.tracker
        lying = [held.card for cards in tracker.zones.values() for held in cards]
        under_way = [out.card for out in tracker.mouth] + [taken.card for taken in tracker.lifted]
        named = Counter(card for card in (*lying, *under_way) if card is not None)
        assert all(number == 1 for number in named.values()), event_to_dict(event)
        assert set(named) == set(tracker.where), event_to_dict(event)


@COMMON
@given(streams())
def test_a_snapshot_at_a_round_boundary_goes_on_as_the_table_itself(events: list[Event]) -> None:
    table = Table(BOOKS)
    for index, event in enumerate(events):
        table.apply(event)
        if not table.at_round_boundary:
            continue
        again = Table.restore(BOOKS, table.snapshot())
        assert again.digest() == table.digest()
        rest = events[index + 1 :]
        twin = Table.restore(BOOKS, table.snapshot())
        assert run(again, rest) == run(twin, rest)
        follow = Table(BOOKS)
        run(follow, events[: index + 1])
        assert run(follow, rest) == run(Table.restore(BOOKS, table.snapshot()), rest)
        return


@COMMON
@given(streams())
def test_a_ruling_never_names_a_card_and_no_output_shows_one_face_down(events: list[Event]) -> None:
    table = Table(BOOKS)
    hidden = [event for event in events if getattr(event, "face", None) == "up" or event.ev == "card.exposed"]
    seen = {getattr(event, "card", None) for event in hidden}
    for event in events:
        text = " ".join(json.dumps(output.to_dict()) for output in table.apply(event) if output.kind is not Kind.ERROR)
        for card in sorted(full_deck()):
            assert card in seen or f'"{card}"' not in text
