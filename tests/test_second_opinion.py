"""feltd and pokerkit agree on random legal hands; and an altered feltd is caught."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_fsm.play.betting import forced_bets, rounds
from table_fsm.poker import pots
from table_fsm.poker.betting import acting
from table_fsm.poker.betting.least_bets import NO_LEAST
from table_fsm.poker.betting.limits import limit_for
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.hands.evaluation import rank_hand
from table_fsm.poker.hands.order import HandOrder
from table_fsm.view.chips import Chips
from tests.second_opinion.__main__ import main
from tests.second_opinion.compare import Difference, play
from tests.second_opinion.differences import Known
from tests.second_opinion.games import GAMES
from tests.second_opinion.hands import draw_hand
from tests.second_opinion.ours import Ours

HANDS = 200
PAGE = Path(__file__).parents[1] / "docs" / "second-opinion.md"


@pytest.mark.slow
@pytest.mark.parametrize("book", GAMES)
def test_feltd_and_pokerkit_agree_on_every_hand(book: str) -> None:
    tally = play(GAMES[book], range(HANDS))
    assert list(map(str, tally.differences)) == []
    assert tally.hands == HANDS
    assert tally.all_ins > HANDS // 4
    assert tally.side_pots > HANDS // 5
    assert tally.most_pots > 3
    assert tally.short_posts > 5
    assert tally.showdowns < HANDS  # in some hands all but one fold
    assert tally.illegal > HANDS // 4
    fewest, most = GAMES[book].players
    assert set(tally.players) == set(range(fewest, most + 1))


def test_a_hand_is_the_same_for_the_same_seed() -> None:
    game = GAMES["onyx-cash"]
    assert draw_hand(game, 7) == draw_hand(game, 7)
    assert draw_hand(game, 7) != draw_hand(game, 8)


def test_the_page_tells_of_every_difference() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [known.name for known in Known if f"**{known.title}**" not in text] == []


def test_the_command_tells_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--books", "star-2025-holdem,razz", "--hands", "3"]) == 0
    said = capsys.readouterr().out
    assert "star-2025-holdem: 3 hands of" in said
    assert "razz: 3 hands of" in said
    assert said.endswith("no hand differs\n")


def test_the_command_knows_its_books(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--books", "faro"]) == 2
    assert "no such book: faro" in capsys.readouterr().err


def differences(book: str, hands: int, maker: type[Ours] = Ours) -> Iterator[Difference]:
    """Where the two sides differ in the first hands of a book, found hand by hand: whoever has enough plays no more."""
    for seed in range(hands):
        yield from play(GAMES[book], range(seed, seed + 1), maker).differences


# -- answers of feltd that are not its own


def _next_seat(ours: Ours, seat: int) -> int:
    return ours.hand.seats[(ours.hand.seats.index(seat) + 1) % len(ours.hand.seats)]


class WrongTurn(Ours):
    def prompt(self) -> Mapping[str, Any]:
        asked = super().prompt()
        return {**asked, "act": _next_seat(self, asked["act"])} if "act" in asked else asked


class WrongTurnInTheView(Ours):
    def to_act(self) -> int | None:
        seat = super().to_act()
        return None if seat is None else _next_seat(self, seat)


class WrongCall(Ours):
    def prompt(self) -> Mapping[str, Any]:
        asked = super().prompt()
        return {**asked, "owes": asked["owes"] + 1} if asked.get("owes") else asked


class WrongCheck(Ours):
    def prompt(self) -> Mapping[str, Any]:
        asked = super().prompt()
        return {**asked, "check": False} if asked.get("owes") == 0 else asked


class ClosesEarly(Ours):
    def prompt(self) -> Mapping[str, Any]:
        asked = super().prompt()
        return {"close": "betting"} if asked.get("owes") == 0 else asked


class WrongChips(Ours):
    def change(self, one: Chips) -> Chips:
        return replace(one, total=(one.total or 0) + 1)

    def chips(self) -> Mapping[int, Chips]:
        return {seat: self.change(one) for seat, one in super().chips().items()}


class ForgetsAllIns(WrongChips):
    def change(self, one: Chips) -> Chips:
        return replace(one, all_in=False)


class OnePot(Ours):
    def pots(self) -> list[pots.Pot]:
        several = super().pots()
        return [pots.Pot(1, sum(pot.cents for pot in several), several[0].eligible)]


class WrongWinner(Ours):
    def pushed(self) -> dict[tuple[int, int], dict[int, int]]:
        return {
            key: {_next_seat(self, seat): cents for seat, cents in one.items()} for key, one in super().pushed().items()
        }


class WrongStacks(Ours):
    def stacks(self) -> dict[int, int]:
        return {seat: cents + (seat == self.hand.seats[0]) for seat, cents in super().stacks().items()}


class RulesOnEverything(Ours):
    def close(self) -> None:
        super().close()
        self.told.append({"ruling": {"irregularity": "betting_incomplete"}})


class RulesOnNothing(Ours):
    def fork(self) -> Ours:
        copy = super().fork()
        copy.told = _Deaf()
        return copy


class _Deaf(list[dict[str, Any]]):
    def append(self, _: dict[str, Any]) -> None:
        pass


@pytest.mark.parametrize(
    ("maker", "what"),
    [
        (WrongTurn, "who is to act"),
        (WrongTurnInTheView, "who is to act by the view"),
        (WrongCall, "the amount to call"),
        (WrongCheck, "whether a check is open"),
        (ClosesEarly, "who is to act"),
        (WrongChips, "chips in the round"),
        (ForgetsAllIns, "is all in"),
        (OnePot, "the pots"),
        (WrongWinner, "what the pots go to"),
        (WrongStacks, "the stacks after the hand"),
        (RulesOnEverything, "a ruling on a legal hand"),
        (RulesOnNothing, "ruled on"),
    ],
)
def test_an_altered_answer_is_caught(maker: type[Ours], what: str) -> None:
    assert any(what in found.what for found in differences("onyx-tournament", 12, maker))


# -- feltd's code, altered


def _one_more(real: Callable[..., int]) -> Callable[..., int]:
    return lambda *given: real(*given) + 1


def _never_barred(betting: Betting, seat: int) -> None:
    return None


def _dearer_limit(betting: str, table_max: int | None) -> Callable[..., int | None] | None:
    real = limit_for(betting, table_max)
    return None if real is None else lambda *given: (real(*given) or 0) + 5


def _the_last(winners: tuple[int, ...], order_from: int, cents: int | None, unit: int | None) -> int | None:
    return max(winners, key=lambda seat: (seat < order_from, seat)) if len(winners) > 1 else None


@pytest.mark.parametrize(
    ("place", "name", "altered", "book"),
    [
        (acting, "_least_raise", _one_more(acting._least_raise), "star-2025-holdem"),
        (acting, "_least_raise", lambda betting, owed: 1, "act-2001-holdem-early-bird"),
        (acting, "_barred", _never_barred, "act-2001-manila"),
        (rounds, "limit_for", _dearer_limit, "act-2001-omaha"),
        (rounds, "limit_for", _dearer_limit, "tas-2018-stud5"),
        (rounds, "least_bets", lambda *_, **__: NO_LEAST, "act-2001-manila"),
        (forced_bets, "ante_first", lambda core: True, "star-2025-holdem"),
        (pots, "_odd_to", _the_last, "act-2001-omaha"),
        (HandOrder, "high_value", lambda self, own, board: rank_hand(list(board)[:5], []), "onyx-cash"),
    ],
)
def test_altered_code_is_caught(
    monkeypatch: pytest.MonkeyPatch, place: Any, name: str, altered: Any, book: str
) -> None:
    monkeypatch.setattr(place, name, altered)
    assert any(differences(book, 60))
