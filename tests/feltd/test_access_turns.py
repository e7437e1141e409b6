"""A guesser and an account's owner behind one address: whose turn it is, and that no guess more is made for it."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from feltd.page.access.passwords import PasswordError
from feltd.page.access.roles import Role
from feltd.page.access.signing_in import FREE_OF_ADDRESS, PasswordNeeded, SignInRefused
from feltd.page.access.throttle import FREE_FAILURES, LONGEST_WAIT
from feltd.page.access.turns import (
    ADDRESSES,
    KEPT_FREE,
    NO_PLACE,
    PLACES_OF_ADDRESS,
    Turns,
    new_place,
    place_of,
)
from tests.feltd.test_access_guessing import Compared, at, compared
from tests.feltd.test_access_sessions import SECRET, Clock, Door

__all__ = ["at", "compared"]  # fixtures

NAT = "10.0.1.1"
STEP = 0.5
HOUR = 3600.0
ROUND = LONGEST_WAIT + KEPT_FREE
MINE = f"{'mine':-<22}"

Place = Callable[[], str | None]


def numbered(numbers: Iterator[int]) -> str:
    return f"{next(numbers):-<22}"


def of_one_browser() -> Place:
    return lambda: "g" * 22


def without_a_token() -> Place:
    return lambda: None


def of_four_browsers() -> Place:
    numbers = count()
    return lambda: f"{next(numbers) % 4:-<22}"


def ever_new() -> Place:
    numbers = count()
    return lambda: numbered(numbers)


class Nat:
    """One address: a guesser asks each half second, and the owner as they are told."""

    def __init__(self, at: Door, guesser: Place, name: Callable[[], str] = lambda: "anna") -> None:
        self.at, self.guesser, self.name = at, guesser, name
        at.door._turns = Turns(at.clock, b"one that does not change")

    async def comes(self, place: str | None, password: str = SECRET, name: str = "anna") -> float | None:
        """How long the answer says to wait; None for who is in."""
        try:
            await self.at.door.sign_in(name, password, NAT, place=place)
        except SignInRefused as refusal:
            return refusal.wait
        return None

    async def guess_for(self, seconds: float) -> None:
        for _ in range(int(seconds / STEP)):
            await self.comes(self.guesser(), "guess", self.name())
            self.at.clock.now += STEP


@pytest.mark.parametrize("guesser", [without_a_token, of_one_browser])
@pytest.mark.parametrize("mistyped", [0, FREE_FAILURES])
def test_behind_the_address_of_a_guesser_the_owner_has_the_next_turn(
    at: Door, compared: Compared, guesser: Callable[[], Place], mistyped: int
) -> None:
    async def scene() -> list[float]:
        nat = Nat(at, guesser())
        await nat.guess_for(HOUR)
        took = []
        for attempt in range(mistyped + 1):
            began = at.clock.now
            await nat.guess_for(37)  # a person, at no time of theirs
            while wait := await nat.comes(MINE, SECRET if attempt == mistyped else "mistyped"):
                await nat.guess_for(min(wait + 20, 5.0))
            took.append(at.clock.now - began)
        return took

    took = asyncio.run(scene())
    assert max(took) <= 37 + LONGEST_WAIT + 5
    assert at.sessions.of("anna")


def test_who_comes_when_they_are_told_to_and_a_little_later_gets_in(at: Door, compared: Compared) -> None:
    async def scene() -> None:
        nat = Nat(at, of_one_browser())
        await nat.guess_for(HOUR)
        wait = await nat.comes(MINE)
        assert wait
        await nat.guess_for(wait + KEPT_FREE - 5)
        assert await nat.comes(MINE) is None

    asyncio.run(scene())


def test_a_turn_that_its_place_does_not_take_is_free_after_a_while(at: Door, compared: Compared) -> None:
    async def scene() -> tuple[int, int]:
        nat = Nat(at, of_one_browser())
        await nat.guess_for(HOUR)
        wait = await nat.comes(MINE)
        assert wait
        before = len(compared.names)
        await nat.guess_for(wait + KEPT_FREE - 1)
        kept = len(compared.names) - before
        await nat.guess_for(2)
        return kept, len(compared.names) - before

    assert asyncio.run(scene()) == (0, 1)


def test_among_browsers_that_have_not_failed_a_lot_decides_and_each_gets_in(at: Door, compared: Compared) -> None:
    """A guesser with four browsers, and one who poses as a new browser each time: the owner's part is a share."""

    async def scene(guesser: Place) -> list[float]:
        nat = Nat(at, guesser)
        await nat.guess_for(HOUR)
        took = []
        for number in range(5):
            began = at.clock.now
            while await nat.comes(f"{number:x<22}") is not None:
                await nat.guess_for(5)
                assert at.clock.now - began < 6 * HOUR
            took.append(at.clock.now - began)
        return took

    assert max(asyncio.run(scene(of_four_browsers()))) <= ROUND
    took = asyncio.run(scene(ever_new()))
    assert sum(took) / len(took) <= HOUR, took


def test_a_guesser_at_other_accounts_keeps_nobody_out_at_the_same_address(at: Door, compared: Compared) -> None:
    async def scene() -> float:
        names = count()
        nat = Nat(at, of_one_browser(), lambda: f"name{next(names)}")
        await nat.guess_for(HOUR)
        began = at.clock.now
        while await nat.comes(MINE) is not None:
            await nat.guess_for(5)
        return at.clock.now - began

    assert asyncio.run(scene()) <= LONGEST_WAIT + 5


@pytest.mark.parametrize("guesser", [without_a_token, of_one_browser, of_four_browsers, ever_new])
@pytest.mark.parametrize("every", [None, 5.0, 600.0])
def test_no_guess_more_is_made_at_an_account_however_often_its_owner_comes(
    at: Door, compared: Compared, guesser: Callable[[], Place], every: float | None
) -> None:
    async def scene() -> int:
        nat, numbers, let_in = Nat(at, guesser()), count(), 0
        for step in range(int(HOUR / STEP)):
            await nat.guess_for(STEP)
            if every is not None and step % int(every / STEP) == 7:
                let_in += await nat.comes(f"{next(numbers):x<22}") is None
        return len(compared.names) - let_in

    assert asyncio.run(scene()) <= FREE_FAILURES + 7 + HOUR / LONGEST_WAIT


def test_a_right_password_forgets_what_its_own_browser_failed_and_nothing_else(at: Door, compared: Compared) -> None:
    def failures() -> int:
        return at.door._guesses.failures(f"anna from {NAT}")

    async def scene() -> None:
        nat = Nat(at, of_one_browser())
        for _ in range(FREE_FAILURES + 1):
            assert await nat.comes(MINE, "mistyped") == 0
        at.clock.now += LONGEST_WAIT
        assert await nat.comes(MINE) is None
        assert failures() == 0
        assert await nat.comes(nat.guesser(), "guess") == 0
        at.clock.now += LONGEST_WAIT
        assert await nat.comes(MINE) is None
        assert failures() == 1

    asyncio.run(scene())


def test_whose_turn_was_no_failure_keeps_it_for_what_is_still_asked(at: Door) -> None:
    """A new password, a second factor: the guesser does not come between."""
    _, code = at.accounts.add_by_code("tom", Role.TECHNICIAN, at.clock() + 86400)

    async def scene() -> None:
        nat = Nat(at, of_one_browser())
        for number in range(FREE_OF_ADDRESS + 1):
            await nat.comes(nat.guesser(), "guess", f"name{number}")
        assert await nat.comes(MINE, code, "tom")
        at.clock.now += LONGEST_WAIT - 100
        with pytest.raises(PasswordNeeded):
            await at.door.sign_in("tom", code, NAT, place=MINE)
        assert await nat.comes(nat.guesser(), "guess", "tom")
        with pytest.raises(PasswordError):
            await at.door.sign_in("tom", code, NAT, new="short", place=MINE)
        assert await nat.comes(nat.guesser(), "guess", "tom")
        await at.door.sign_in("tom", code, NAT, new="four words of my choice", place=MINE)
        assert await nat.comes(nat.guesser(), "guess", "tom") == 0, "and then it is anybody's"

    asyncio.run(scene())


# -- places


def test_of_equal_places_one_wins_each_drawing_and_not_always_the_same() -> None:
    turns, places = Turns(Clock(), b"any"), [new_place() for _ in range(4)]
    for place in places:
        turns.told_to_wait(NAT, place, 0)
    won = [[place for place in places if not turns.wait_for(NAT, place, 0, drawing)] for drawing in range(64)]
    assert {len(winners) for winners in won} == {1}
    assert {winners[0] for winners in won} == set(places)


def test_failures_of_a_place_are_forgotten_with_time() -> None:
    clock = Clock()
    turns = Turns(clock, b"any")
    for _ in range(FREE_FAILURES + 1):
        turns.begin(NAT, MINE)
    other = new_place()
    turns.told_to_wait(NAT, other, 2000)
    assert all(turns.wait_for(NAT, MINE, 1, drawing) == KEPT_FREE - 1 for drawing in range(32))
    clock.now += 900
    assert any(turns.wait_for(NAT, MINE, 1, drawing) == 0 for drawing in range(32))


def test_places_and_addresses_are_bounded_and_the_oldest_is_forgotten_first() -> None:
    turns = Turns(Clock(), b"any")
    for number in range(PLACES_OF_ADDRESS + 3):
        turns.told_to_wait(NAT, f"{number:x<22}", 2)
    assert list(turns._expected[NAT]) == [f"{number:x<22}" for number in range(3, PLACES_OF_ADDRESS + 3)]
    for number in range(ADDRESSES):
        turns.told_to_wait(f"10.1.{number // 256}.{number % 256}", MINE, 2)
    assert len(turns._expected) == ADDRESSES
    assert NAT not in turns._expected


def test_who_is_expected_no_more_keeps_no_turn_from_others() -> None:
    clock = Clock()
    turns = Turns(clock, b"any")
    turns.told_to_wait(NAT, new_place(), 2)
    clock.now += 2 + KEPT_FREE
    assert turns.wait_for(NAT, MINE, 0, 1) == 0


@pytest.mark.parametrize(
    "token", [None, "", "x", "x" * 23, "x" * 21 + " ", "x" * 21 + "é", "x" * 21 + "\ud800", "-" * 22]
)
def test_what_is_no_token_of_a_place_is_none(token: str | None) -> None:
    assert place_of(token) == NO_PLACE


def test_a_token_is_its_place() -> None:
    assert all(place_of(token) == token for token in (new_place() for _ in range(50)))
