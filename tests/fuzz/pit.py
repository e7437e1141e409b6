"""What the floor reads of a table's rows: whoever has a table's certificate writes its record."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from feltd.door.pit.state import PitTable
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.floor.facts import Reading, Told
from feltd.floor.folding import Fold
from feltd.floor.open_rows import RowUnreadError, read
from feltd.floor.pit_book import Line
from feltd.floor.webhook import body_of
from feltd.page.pit.shown import table_as_json
from feltd.record.entries import Row, encode
from tests.fuzz.target import Judge, Target


def _row(seq: int, data: bytes) -> bytes:
    """A row whose kind and name are before the first line end, and whose body is behind it."""
    head, _, body = data.partition(b"\n")
    kind, _, name = head.decode(errors="replace").partition(" ")
    try:
        return encode(
            Row(seq, kind, name, 1.0, 1.0, 1.7e9, 7, None, seq - 1, None, None, None, body.decode(), None, None)
        )
    except UnicodeDecodeError:
        return data


@contextmanager
def _pit() -> Iterator[Judge]:
    before = [_row(seq, said) for seq, said in enumerate(_said(), 1)]

    def judge(data: bytes) -> None:
        fold, reading = Fold(), Reading()
        for row in before:
            fold.take(row)
            reading.take(fold.seq, row)
        row = _row(fold.seq + 1, data)
        with suppress(RowUnreadError):  # and nothing else: the guard around it is for what nobody thought of
            fold.seq += 1
            fold._take(read(row))
        shown = Line("7", bytes(16), fold).shown()
        assert from_json(PitTable, parse(to_json(shown))) == shown, "the page does not read it as it was"
        json.dumps(table_as_json(shown), ensure_ascii=False, allow_nan=False).encode()
        assert Fold.from_text(fold.to_text()).to_text() == fold.to_text(), "it is not kept as it was"
        fact = reading.take(fold.seq, row)
        if fact is not None:
            body_of(Told(1, "7", bytes(16), fact))
        assert Reading.from_text(reading.to_text()) == reading, "it does not go on as it was"

    yield judge


def _said() -> Sequence[bytes]:
    ruling: dict[str, object] = {
        "id": 5, "supersedes": None, "rulebook": "onyx-cash", "rule": "Cash 12", "irregularity": "card_exposed",
        "outcome": "misdeal", "also": [], "seat": 3, "authority": "supervisor", "pending": True, "text": "A card.",
    }  # fmt: skip
    alarm: dict[str, object] = {"kind": "device_offline", "deck": None, "device": "shoe", "seat": 2, "state": "raised"}
    seat: dict[str, object] = {"entry": {"number": 4, "order": 1}, "penalty": {"left": 2}, "leaving": False}
    rows: list[tuple[str, object]] = [
        ("host note", {"note": "feltd starts", "software": "0.9.0", "settings": {"language": "de"}}),
        ("event table.open", {"rulebook": "onyx-cash", "options": {"blinds": [1, 2]}, "seats": [1, 2]}),
        ("output ruling", {"ruling": ruling}),
        ("output alarm", {"alarm": alarm}),
        ("event supervisor", {"decision": "shelve", "alarm": "seat_idle", "seat": 2, "minutes": 5, "ruling": 5}),
        ("output phase", {"phase": "betting", "street": "flop"}),
        ("output level", {"level": {"level": 4}}),
        ("event race.start", {"chip": 25, "new_chip": 100, "odd": {"1": 2}, "last": []}),
        ("output race", {"race": {"winners": {"1": 1}, "removed": 25}}),
        ("host snapshot", {"seats": {"1": seat}, "time_banks": {"1": 2}, "tournament": {"places": [{"seat": 1}]}}),
        ("event tournament.clock", {"running": True, "elapsed": 12.5}),
        ("host access", {"what": "signed_in", "who": "lea"}),
    ]
    return [head.encode() + b"\n" + json.dumps(body).encode() for head, body in rows]


PIT = Target("pit", _pit, _said, (b"null", b"1e999", b"NaN", b"[]", b"{}", b"true", b"-1", b'"\\ud800"', b'"\\u0000"'))
