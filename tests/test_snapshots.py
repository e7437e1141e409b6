"""A snapshot gives the state it was taken of, after each event of every drill that may be followed by one.

All drills are `slow`, in parts that run side by side; the quick tests have those that once lost something.
"""

import pytest

from feltd.books.drill import find_drills
from table_fsm.core.core import Core
from tests import snapshots
from tests.snapshots import DRILLS, Lost, prove, prove_drill

_PARTS = 4
_ONCE_LOST = (
    "act-2001-draw/F-identity-a-card-of-the-deal-that-no-reader-sees.jsonl",
    "act-2019-uth/13.6-count-fifty-one-before-the-table-opens.jsonl",
    "act-2019-uth/4.6-a-wager-for-the-next-round-and-no-end-keyed.jsonl",
    "act-2019-uth/6.1-a-card-after-the-last-wager-is-settled.jsonl",
    "incidents/sort-mode-eyes-only-pennsylvania-2018.jsonl",
    "tas-2018-holdem/1.1-no-box-when-the-table-opens.jsonl",
)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_no_snapshot_of_any_drill_loses_anything(part: int) -> None:
    found = list(prove(_PARTS, first=part))
    assert len(found) == len(find_drills([DRILLS])[part::_PARTS]) > 100
    assert sum(taken for taken, _ in found) > len(found)
    assert [str(one) for _, lost in found for one in lost] == []


@pytest.mark.parametrize("name", _ONCE_LOST)
def test_what_once_was_lost_is_kept(name: str) -> None:
    taken, lost = prove_drill(DRILLS / name)
    assert taken > 0
    assert lost == []


def test_a_state_that_is_not_kept_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ruling that ends the round is not in the snapshot: another state, and a decision on it is refused."""
    monkeypatch.setattr(Core, "keep_beginning", lambda _: None)
    drill = DRILLS / "incidents/one-missing-one-doubled-pennsylvania-2018.jsonl"
    _, lost = prove_drill(drill)
    assert {one.what for one in lost} >= {
        "its snapshot with counts gives another state",
        "its snapshot without counts gives another state",
    }
    assert str(lost[0]).startswith("incidents/one-missing-one-doubled-pennsylvania-2018.jsonl: event ")


def test_the_command_says_what_was_lost(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    one = Lost(DRILLS / "incidents/x.jsonl", 4, "hand.end", "the restored table answers otherwise")
    found = [(3, []), (2, [one])]
    monkeypatch.setattr("sys.argv", ["snapshots"])
    monkeypatch.setattr(snapshots, "prove", lambda every: iter(found))
    assert snapshots.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "incidents/x.jsonl: event 4 (hand.end): the restored table answers otherwise",
        "5 snapshots in 2 drills, 1 lost something",
    ]
    found.pop()
    assert snapshots.main() == 0
