"""What goes back where a tournament is called off, by whether it had begun."""

import json

import pytest

from floor_fsm.errors import Refused
from floor_fsm.lines import from_line
from floor_fsm.tournament import Tournament
from tests.floor_fsm.drills import COMMITTED, DIRECTOR, DRAWN, Step, enters, hands, opening
from tests.floor_fsm.support import SECRETS, laws

REDRAWN = {"ev": "redrawn", "occasion": "final_table", "tables": ["T1"], "secret": SECRETS[1].hex()}
SEATED = (opening(1, 4), COMMITTED, *(enters(number, person) for number, person in enumerate("abcd", 1)), DRAWN)


def called_off(*steps: Step, refund: bool) -> None:
    tournament = Tournament(laws()["star-2025"])
    for at, step in enumerate([*steps, {"ev": "tournament.cancelled", "refund": refund}]):
        tournament.apply(from_line(json.dumps({"by": DIRECTOR, "t": float(at), **step})))


def test_all_goes_back_before_a_hand() -> None:
    """The Star 6.10, 6.21, 6.22."""
    with pytest.raises(Refused):
        called_off(*SEATED, refund=False)


@pytest.mark.parametrize("since", [(), (REDRAWN,)], ids=["a hand", "a redraw since"])
def test_the_director_says_what_goes_back_once_a_hand_was_told(since: tuple[Step, ...]) -> None:
    called_off(*SEATED, *hands("T1"), *since, refund=False)
