"""What is asked of the table has a bound in each field, and what is beyond one leaves no trace but a count."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from feltd.door import CommandRefused, DecisionRequest, OutOfBounds, Person, SeenAlarms
from feltd.door.bounds import Bound, Each, Fields, Many, Number, OneOf
from feltd.door.packs import PackWork
from feltd.door.serving.refused import Why
from feltd.door.serving.requests import DOING, LOOKING, OBEYING
from feltd.door.wire import calls
from feltd.door.wire.codec import parse, to_json
from feltd.door.wire.messages import MOST_TO_TABLE, Ask, Fault, line_of, message_of
from feltd.page.api import action_routes, pack_routes
from feltd.record import Reveal, Span
from feltd.table.keeper.by_hand import BY_HAND
from table_fsm import events as ev
from table_fsm.felt import Decision
from table_fsm.view.shapes import TableView
from tests.feltd.door_support import SPOKEN, apart, connected, hello, knocking
from tests.feltd.door_values import EXAMPLES, Place, beyond, places, values
from tests.running import eventually

EVERY_CALL = [*calls.OF_TABLE.values(), *calls.OF_RECORD.values()]
CASES = [(call, place) for call in EVERY_CALL for place in places(call.asks)]
ANNA = Person("S7", "anna", "supervisor", "192.0.2.7")


def test_every_text_every_number_and_every_list_that_may_be_asked_has_a_bound() -> None:
    assert [f"{call.name}.{place}" for call, place in CASES if place.bound is None] == []
    assert set(calls.OF_TABLE) == {*LOOKING, *DOING, *OBEYING}


def test_a_field_without_a_bound_is_found_wherever_it_stands() -> None:
    """The walk itself: else a new kind of type would hide its fields from the test above."""
    unbounded = [place.path for place in places(tuple[str | None, ...]) if place.bound is None]
    assert unbounded == [(), ("[]",)]
    assert [place.bound for place in places(Mapping[str, int])] == [None, None, None]
    assert [place.bound for place in places(Annotated[Span, Fields(())])] == [None] * 7
    with pytest.raises(AssertionError, match="nobody looks at"):
        list(places(TableView))


def test_every_field_of_an_event_by_hand_has_a_bound() -> None:
    for kind, bounds in BY_HAND.items():
        wanted = {
            field.name
            for field in fields(kind)
            if field.name not in {"t", "ev"} and get_type_hints(kind)[field.name] is not bool
        }
        assert wanted == set(bounds), kind


# -- beyond


def asked_with(kind: Any, path: tuple[str, ...], value: Any, data: st.DataObject) -> Any:
    """What is asked, as JSON, with `value` at `path` and anything that may be there elsewhere."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return asked_with(inside[0], path, value, data)
    if not path:
        return value
    if origin in (Union, UnionType):
        return asked_with(next(one for one in inside if one is not type(None)), path, value, data)
    step, *rest = path
    if step in {"[]", "{}", "{name}"}:
        deep = asked_with(inside[-1 if step == "{}" else 0], tuple(rest), value, data)
        return [deep] if step == "[]" else {"a": deep} if step == "{}" else {deep: data.draw(values(inside[1]))}
    assert is_dataclass(kind)
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: asked_with(hints[field.name], tuple(rest), value, data)
        if field.name == step
        else parse(to_json(data.draw(values(hints[field.name]))))
        for field in fields(kind)
    }


def beyond_at(place: Place, data: st.DataObject) -> Any:
    """A value that is just beyond the bound of a place."""
    assert place.bound is not None
    if not isinstance(place.bound, Many):
        return data.draw(st.sampled_from(beyond(place.bound)))
    inside = get_args(place.kind)
    item = parse(to_json(data.draw(values(inside[0] if get_origin(place.kind) is tuple else inside[1]))))
    many = [item] * (place.bound.most + 1)
    return many if get_origin(place.kind) is tuple else {str(n): one for n, one in enumerate(many)}


@pytest.mark.parametrize(("call", "place"), CASES, ids=lambda part: getattr(part, "name", str(part)))
@settings(max_examples=max(2, EXAMPLES // 5), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_is_beyond_a_bound_is_refused_with_its_place(
    call: calls.Call[Any, Any], place: Place, data: st.DataObject
) -> None:
    value = beyond_at(place, data)
    what = asked_with(call.asks, place.path, value, data)
    with pytest.raises(OutOfBounds) as refused:
        calls.values_of(what, call)
    said = str(refused.value)
    assert said.startswith(f"{call.name}.{place.path[0]}")
    assert len(said) < 300
    assert isinstance(refused.value, CommandRefused)


@pytest.mark.parametrize("kind", BY_HAND, ids=lambda kind: kind.__name__)
def test_an_event_by_hand_that_says_more_than_it_may_is_refused_without_a_trace(
    tmp_path: Path, kind: type[ev.Event]
) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            await at.bench.synced()
            before, sent = at.bench.journal.health.appended, 0
            async with connected(at) as door:
                for name, bound in BY_HAND[kind].items():
                    for value in beyond(bound):
                        with pytest.raises(CommandRefused, match=rf"\.{name}: (each )?must (be|have) "):
                            await door.act(ANNA, None, event_with(kind, name, value))
                        sent += 1
                counted = (await door.counters()).door_refused
            assert at.bench.journal.health.appended == before
            assert counted == ({Why.BOUNDS: sent} if sent else {})

    asyncio.run(scene())


def event_with(kind: type[ev.Event], name: str, value: Any) -> ev.Event:
    """An event of this kind with this value, and with what it may have elsewhere."""
    needed: dict[str, Any] = {"odd": {}, "elapsed": 0.0, "on": True, "running": True}
    given_ = {
        field.name: needed.get(field.name, 1)
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }
    return kind(**{**given_, name: value})


# -- over the socket


async def answers(at: Any, asks: list[Ask]) -> dict[int, Any]:
    """What the table says to each."""
    loop = asyncio.get_running_loop()
    heard: dict[int, Any] = {}
    with knocking(at.place) as knock:
        await loop.sock_sendall(knock, hello())
        await eventually(lambda: at.reception._visits)
        await loop.sock_sendall(knock, b"".join(map(line_of, asks)))
        rest = b""
        while len(heard) < len(asks):
            *lines, rest = (rest + await loop.sock_recv(knock, 65536)).split(b"\n")
            for message in (message_of(line, SPOKEN) for line in lines):
                if (number := getattr(message, "id", None)) is not None:
                    heard[number] = message
    return heard


def test_what_is_refused_at_the_door_is_counted_and_leaves_no_other_trace(tmp_path: Path) -> None:
    person = {"signature": "S7", "account": "anna", "role": "supervisor", "address": "192.0.2.7"}

    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            await at.bench.synced()
            before = at.bench.journal.health.appended
            asks = [
                Ask(1, "act", {"person": {**person, "account": "a" * 65}, "why": None, "event": {"ev": "seat.in"}}),
                Ask(2, "act", {"person": person, "why": "w" * 501, "event": {"ev": "seat.in", "seat": 1}}),
                Ask(3, "act", {"person": person, "why": None, "event": {"ev": "x" * 17_000}}),
                Ask(4, "withdraw", {"person": person, "number": 2**53 + 1}),
                Ask(5, "withdraw", {"person": person}),
                Ask(6, "obey", {}),
            ]
            heard = await answers(at, asks)
            said = {number: fault.parts[0] for number, fault in heard.items() if isinstance(fault, Fault)}
            assert said == {
                1: "act.person.account: must have 0 to 64 characters",
                2: "act.why: must have 0 to 500 characters",
                3: "act: its line must have 16384 bytes at most",
                4: f"withdraw.number: must be 0 to {2**53}",
                5: said[5],
                6: said[6],
            }
            assert {heard[number].error for number in (1, 2, 3, 4)} == {"CommandRefused"}
            assert said[5].startswith("withdraw: lacks number")
            assert said[6].startswith('the table knows no "obey"')
            assert at.page.door.refused.counts == {"bounds": 4, "shape": 2}
            assert at.bench.journal.health.appended == before

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("decision", "says"),
    [
        (DecisionRequest("Ah Kd Qs", None, None, None), "there is no decision"),
        (DecisionRequest("misdeal", None, None, None), "misdeal needs a reason"),
        (DecisionRequest("confirm", None, "misdeal", None), "an outcome belongs to overrule"),
        (DecisionRequest("overrule", 1, "Ah Kd Qs", "why"), "there is no outcome"),
        (DecisionRequest("overrule", None, "misdeal", "why"), "overrule needs a ruling"),
        (DecisionRequest("confirm", None, None, None, seat=3), "a seat belongs to exclude"),
        (DecisionRequest("confirm", None, None, None, minutes=3), "minutes belong to shelve"),
        (DecisionRequest("shelve", None, None, "why", minutes=3), "an alarm belongs to"),
        (DecisionRequest("confirm", None, None, None, alarm="seat_idle"), "an alarm belongs to"),
        (DecisionRequest("acknowledge", None, None, None, alarm="Ah Kd"), "no kind of alarms"),
        (DecisionRequest("acknowledge", None, None, None, alarm="seat_idle", device="Ah"), "no name of a device"),
        (
            DecisionRequest("confirm", None, None, None, seen=SeenAlarms(1.0, False, (), None)),
            "what was seen belongs to acknowledge",
        ),
        (
            DecisionRequest("acknowledge", None, None, None, seen=SeenAlarms(1.0, False, ("Ah",), None)),
            "no names of devices",
        ),
    ],
)
def test_a_decision_that_is_none_reaches_no_record_whoever_says_it(
    tmp_path: Path, decision: DecisionRequest, says: str
) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            await at.bench.synced()
            before = at.bench.journal.health.appended
            async with connected(at) as door:
                for way in (door.decide, door.ask_for_badge):
                    with pytest.raises(CommandRefused, match=says):
                        await way(ANNA, decision)
            assert at.bench.journal.health.appended == before

    asyncio.run(scene())


# -- what people may say


PAGES_OWN: list[tuple[type[BaseModel], str, Bound]] = [
    (action_routes.CountedStack, "cents", BY_HAND[ev.Stack]["cents"]),
    (action_routes.ImposedPenalty, "hands", BY_HAND[ev.Penalty]["hands"]),
    (action_routes.ImposedPenalty, "orbits", BY_HAND[ev.Penalty]["orbits"]),
    (action_routes.TournamentTime, "elapsed", BY_HAND[ev.TournamentClock]["elapsed"]),
    (action_routes.Race, "chip", BY_HAND[ev.RaceStart]["chip"]),
    (action_routes.Race, "new_chip", BY_HAND[ev.RaceStart]["new_chip"]),
]


@pytest.mark.parametrize(("model", "name", "bound"), PAGES_OWN, ids=lambda part: getattr(part, "__name__", str(part)))
def test_the_pages_own_bounds_are_those_of_the_table(model: type[BaseModel], name: str, bound: Bound) -> None:
    said = model.model_json_schema()["properties"][name]
    said = next((one for one in said.get("anyOf", ()) if "maximum" in one), said)
    assert bound == Number(said["minimum"], said["maximum"])


def test_the_longest_words_that_the_page_takes_are_taken_by_the_table() -> None:
    reason = action_routes.SeatChange(change="in", reason="ä" * 500).reason
    seen = action_routes.Seen(until=10.0**12, cleared=True, devices=["d" * 64] * 500, deck="d" * 64)
    decision = action_routes.Decision(decision=Decision.ACKNOWLEDGE, reason=reason, alarm="a" * 64, seat=10, seen=seen)
    asked = DecisionRequest(
        decision.decision.value, None, None, reason, decision.seat, decision.alarm, None, None, seen.as_request()
    )
    decided = calls.Decided(Person("ä" * 64, "a" * 32 + " 0123abcd", "surveillance", "2001:db8::1"), asked)
    line = line_of(Ask(2**53, "decide", parse(to_json(decided))))
    assert len(line) < calls.DECIDE.most <= MOST_TO_TABLE
    assert calls.values_of(json.loads(line)["ask"]["what"], calls.DECIDE) == decided
    wanted = pack_routes.PackWorkWanted(work=PackWork.ENROL, name="n" * 40, back="b" * 40, password="x")
    work = calls.NewPackWork(ANNA, wanted.wanted())
    assert calls.values_of(parse(to_json(work)), calls.BEGIN_PACK) == work
    looked = calls.SomeEntries(Span(after=0, wall_from=0.5), Reveal.NOTHING, newest_first=True, most=500)
    assert calls.values_of(parse(to_json(looked)), calls.ENTRIES) == looked


def test_bounds_of_lists_and_objects_name_what_is_wrong() -> None:
    each = Each(Number(0, 5), 2, OneOf({"a", "b"}))
    assert each.refusal({"a": 5, "b": 0}) is None
    assert each.refusal({"a": 6}) == "each must be 0 to 5"
    assert each.refusal({"c": 1}) == "each must be one of a, b"
    assert each.refusal({"a": 1, "b": 1, "c": 1}) == "must have 2 at most"
    assert Fields((("after", Number(0, 1)),)).refusal(Span(after=2)) == "after must be 0 to 1"
    assert Fields((("after", Number(0, 1)),)).refusal(Span()) is None
