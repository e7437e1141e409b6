"""The protocol between table and page: every value of the door comes back as it went, and nothing else comes in."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feltd.door import CommandRefused, NotOnDiskError, PlayStopped, UnknownDeviceError
from feltd.door.wire import calls, messages
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.door.wire.lines import Lines
from feltd.door.wire.messages import (
    FROM_PAGE,
    FROM_TABLE,
    VERSION,
    Ask,
    Fault,
    Hello,
    Purpose,
    hello_of,
    line_of,
    message_of,
)
from feltd.door.wire.refusals import error_of, fault_of
from feltd.table.keeper.signatures import SignatureRefused
from feltd.text import errors as text_errors
from feltd.text.errors import FeltdError, JournalError
from tests.feltd.door_values import EXAMPLES, anything, texts, values

FEW = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For each of many: the largest values take their time to draw."""
EVERY_CALL = [*calls.OF_TABLE.values(), *calls.OF_RECORD.values()]
MESSAGES = list(messages._KINDS.values())


@pytest.mark.parametrize("call", EVERY_CALL, ids=lambda call: call.name)
@FEW
@given(data=st.data())
def test_every_question_and_every_answer_comes_back_as_it_went(call: calls.Call[Any, Any], data: st.DataObject) -> None:
    asked, given_back = data.draw(values(call.asks)), data.draw(values(call.gives))
    line = line_of(Ask(7, call.name, parse(to_json(asked))))
    ask = message_of(line[:-1], FROM_PAGE, strict=True)
    assert calls.values_of(ask.what, call) == asked
    assert from_json(call.gives, parse(to_json(given_back))) == given_back


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@FEW
@given(data=st.data())
def test_every_message_is_one_line(kind: type[Any], data: st.DataObject) -> None:
    message = data.draw(values(kind))
    line = line_of(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert message_of(line[:-1], frozenset({kind}), strict=True) == message


def test_both_ends_know_each_call_by_one_name() -> None:
    assert len({call.name for call in EVERY_CALL}) == len(EVERY_CALL)


# -- what is no message


def said_of(line: bytes, expected: frozenset[type[Any]] = FROM_PAGE) -> str:
    with pytest.raises(WireError) as refusal:
        message_of(line, expected, strict=True)
    return str(refusal.value)


@given(st.binary(max_size=60) | anything.map(lambda value: json.dumps(value).encode()))
def test_garbage_is_refused_in_words_and_nothing_else_is_raised(line: bytes) -> None:
    for expected in (FROM_PAGE, FROM_TABLE):
        assert "; " in said_of(line, expected)  # what, and what to do about it
    with pytest.raises(WireError):
        hello_of(line)


@pytest.mark.parametrize("call", EVERY_CALL, ids=lambda call: call.name)
@FEW
@given(what=st.dictionaries(texts, anything, max_size=3))
def test_values_that_are_none_are_refused_with_their_place(call: calls.Call[Any, Any], what: dict[str, Any]) -> None:
    if call.asks is calls.Nothing:
        what = {"none": what}
    elif call.asks is calls.Between:
        what = {**what, "since": "then"}
    with pytest.raises(WireError, match=rf"^{call.name}"):
        calls.values_of(what, call)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 200_000, "no JSON"),
        (b'{"ask":{"id":NaN,"call":"state","what":{}}}', "NaN is no number of JSON"),
        (b'{"ask":' + b"1" * 5000 + b"}", "no JSON"),
        (b'{"ask":{"id":1.5,"call":"state","what":{}}}', "ask.id: must be a whole number"),
        (b'{"ask":{"id":true,"call":"state","what":{}}}', "ask.id: must be a whole number"),
        (b'{"ask":{"id":1,"call":"\\ud800","what":{}}}', "ask.call: must be a text that UTF-8 can hold"),
        (b'{"ask":{"id":1,"call":"state"}}', "ask: lacks what"),
        (b'{"ask":{"id":1,"call":"state","what":[]}}', "ask.what: must be an object"),
        (b'{"ask":{"id":1,"call":"state","what":{},"more":1}}', "ask: has 1 fields that nobody here knows"),
        (b'{"reply":{"id":1,"value":null}}', "which is ask"),
        (b'{"ask":{},"ask2":{}}', "no message"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(line: bytes, says: str) -> None:
    assert says in said_of(line)


def test_a_newer_table_is_understood_and_a_newer_page_is_not_half_obeyed() -> None:
    assert message_of(b'{"changed":{"since":5}}', FROM_TABLE) == messages.Changed()
    with pytest.raises(WireError, match="nobody here knows"):
        calls.values_of({"number": 5, "seat": 7}, calls.SIGNATURE)


def test_what_is_no_data_is_not_sent() -> None:
    for value in (object(), float("nan"), {1, 2}, {"a": object()}):
        with pytest.raises(WireError, match="cannot be sent"):
            to_json(value)


# -- the greeting


def test_another_version_is_told_as_such_whatever_else_differs() -> None:
    later = json.dumps({"hello": {"version": VERSION + 1, "towards": "the table"}}).encode()
    with pytest.raises(WireError, match=rf"version {VERSION + 1} .* version {VERSION}; restart the older"):
        hello_of(later)
    assert hello_of(line_of(Hello(VERSION, Purpose.RECORD, "feltd"))[:-1]) == Hello(VERSION, Purpose.RECORD, "feltd")
    with pytest.raises(WireError, match=r"hello\.purpose: must be one of table, record"):
        hello_of(b'{"hello":{"version":1,"purpose":"all","software":""}}')


# -- lines


@given(st.lists(st.binary(max_size=9).filter(lambda line: b"\n" not in line), max_size=6), st.data())
def test_lines_come_whole_however_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines) + b"half"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    found = Lines(9)
    assert [line for piece in pieces for line in found.feed(piece)] == lines
    assert found.unfinished


def test_a_line_may_be_as_long_as_it_may_be_and_no_longer() -> None:
    assert Lines(4).feed(b"four\n") == [b"four"]
    for pieces in ([b"five5\n"], [b"fi", b"ve5"], [b"ok\nfive5"]):
        lines = Lines(4)
        with pytest.raises(WireError, match="longer than 4 bytes"):
            [lines.feed(piece) for piece in pieces]


# -- refusals


JOURNAL_ERRORS = [
    kind for kind in vars(text_errors).values() if isinstance(kind, type) and issubclass(kind, JournalError)
]
ERRORS: list[FeltdError] = [
    CommandRefused("not now"), PlayStopped("the disk is full"), NotOnDiskError("the disk"),
    UnknownDeviceError("shoe 9"), FeltdError("a plain one"),
    *(kind("what", "/a/place", "the remedy") for kind in JOURNAL_ERRORS),
]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_refusal_crosses_as_itself(error: FeltdError) -> None:
    line = line_of(fault_of(3, error))
    back = error_of(message_of(line[:-1], FROM_TABLE))
    assert (type(back), str(back)) == (type(error), str(error))


def test_a_kind_that_only_the_table_knows_crosses_as_the_kind_that_it_is_of() -> None:
    back = error_of(fault_of(3, SignatureRefused("one at a time")))
    assert (type(back), str(back)) == (CommandRefused, "one at a time")
    assert isinstance(error_of(fault_of(3, WireError("what", "where"))), FeltdError)


def test_a_refusal_of_another_version_is_no_riddle() -> None:
    for fault in (Fault(1, "NobodyKnows", ("x",)), Fault(1, "JournalMissing", ("x",)), Fault(1, "CommandRefused", ())):
        assert isinstance(error_of(fault), WireError)
