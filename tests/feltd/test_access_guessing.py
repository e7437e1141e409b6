"""Guessers beside people: at the same moment, from many addresses, at one account and at many, and who gets in."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from feltd.page.access import signing_in
from feltd.page.access.accounts import Account
from feltd.page.access.comparing import OF_ADDRESS, OF_NAME, WAITING_MOST, Attempt, Comparing, TooManyWaitError
from feltd.page.access.known_devices import KEPT_SECONDS, KEY_FILE, KnownDevices, secret_in
from feltd.page.access.roles import Role
from feltd.page.access.signing_in import OWN_TURN, SignInRefused
from feltd.page.access.throttle import FREE_FAILURES, LONGEST_WAIT
from tests.feltd.test_access_sessions import SECRET, Door, at

__all__ = ["at"]  # a fixture


class Compared:
    """Sign-ins whose comparison takes no time, in the order in which they came to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []

        def compare(account: Account | None, given: str) -> bool:
            self.names.append("" if account is None else account.name)
            return account is not None and given == SECRET

        monkeypatch.setattr(signing_in._First, "is_right", lambda first: compare(first._account, first._given))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Compared:
    return Compared(monkeypatch)


def said(at: Door, *attempts: tuple[str, str, str, str | None]) -> list[str]:
    """What becomes of sign-ins (name, password, address, device) that are sent at the same moment."""

    async def scene() -> list[object]:
        sent = (at.door.sign_in(*attempt) for attempt in attempts)
        return await asyncio.gather(*sent, return_exceptions=True)

    return [str(answer) if isinstance(answer, Exception) else "in" for answer in asyncio.run(scene())]


def test_guesses_sent_at_the_same_moment_are_as_many_failures(at: Door, compared: Compared) -> None:
    answers = said(at, *(("anna", f"guess {number}", f"10.0.1.{number}", None) for number in range(12)))
    assert answers.count("name or password is wrong") == OF_NAME
    assert len(compared.names) == OF_NAME
    for number in range(FREE_FAILURES + 1 - OF_NAME):
        assert said(at, ("anna", "guess", f"10.0.2.{number}", None)) == ["name or password is wrong"]
    assert "too many attempts" in said(at, ("anna", SECRET, "10.0.2.0", None))[0], "its turn comes later"
    at.clock.now += OWN_TURN
    assert said(at, ("anna", "guess", "10.0.2.0", None)) == ["name or password is wrong"]


def test_who_guesses_without_end_keeps_nobody_out_of_a_new_browser_elsewhere(at: Door, compared: Compared) -> None:
    async def scene() -> tuple[int, int]:
        let_in = guessed = 0
        for step in range(7200):  # an hour
            with contextlib.suppress(SignInRefused):
                await at.door.sign_in("anna", "guess", "10.0.1.1")
            if step % 10 == 5:
                guessed = len(compared.names) - let_in
                await at.door.sign_in("anna", SECRET, "10.0.9.9")
                let_in += 1
            at.clock.now += 0.5
        return let_in, guessed

    let_in, guessed = asyncio.run(scene())
    assert let_in == 720
    assert guessed <= FREE_FAILURES + 7 + 3600 / LONGEST_WAIT, "and they are no faster for it"


def test_many_addresses_guess_at_a_name_each_slowly_and_its_owner_waits_for_none(at: Door, compared: Compared) -> None:
    addresses = 100

    async def scene() -> None:
        for step in range(360):  # half an hour
            for number in range(addresses):
                with contextlib.suppress(SignInRefused):
                    await at.door.sign_in("anna", "guess", f"2001:db8:0:{number:x}::{step + 1:x}")
            at.clock.now += 5
            if step % 12 == 0:
                await at.door.sign_in("anna", SECRET, "10.0.9.9")

    asyncio.run(scene())
    guessed = len(compared.names) - 30
    assert guessed <= addresses * (FREE_FAILURES + 7 + 1800 / LONGEST_WAIT)


def test_who_mistypes_while_others_guess_has_a_turn_soon(at: Door, compared: Compared) -> None:
    for number in range(20):
        said(at, ("anna", "guess", f"10.0.1.{number}", None))
    assert said(at, ("anna", "mistyped", "10.0.9.9", None)) == ["name or password is wrong"]
    assert "too many attempts" in said(at, ("anna", SECRET, "10.0.9.9", None))[0]
    at.clock.now += OWN_TURN
    assert said(at, ("anna", SECRET, "10.0.9.9", None)) == ["in"]


def test_who_has_signed_in_with_this_browser_gets_in_while_others_guess(at: Door, compared: Compared) -> None:
    mine = at.devices.token(at.account)
    for number in range(FREE_FAILURES + 1):
        said(at, ("anna", f"guess {number}", "10.0.1.1", None))
    assert "too many attempts" in said(at, ("anna", SECRET, "10.0.1.1", None))[0]
    assert said(at, ("anna", SECRET, "10.0.1.1", mine)) == ["in"], "from the guesser's own address, too"
    assert "too many attempts" in said(at, ("anna", SECRET, "10.0.1.1", None))[0], "guessers wait all the same"


def test_a_known_browser_guesses_no_faster(at: Door, compared: Compared) -> None:
    mine = at.devices.token(at.account)
    for _ in range(FREE_FAILURES + 1):
        assert said(at, ("anna", "guess", "10.0.1.1", mine)) == ["name or password is wrong"]
    assert "too many attempts" in said(at, ("anna", SECRET, "10.0.1.1", mine))[0]
    assert said(at, ("anna", SECRET, "10.0.1.2", at.devices.token(at.account))) == ["in"]


def test_a_browser_known_to_one_account_is_a_stranger_to_another(at: Door, compared: Compared) -> None:
    berta = at.accounts.add("berta", Role.OBSERVER, "another, and a staple")
    hers = at.devices.token(berta)
    for _ in range(FREE_FAILURES + 1):
        said(at, ("anna", "guess", "10.0.1.1", hers))
    assert "too many attempts" in said(at, ("anna", SECRET, "10.0.1.1", hers))[0]


@pytest.mark.parametrize("change", ["none", "password", "shut", "removed", "old", "forged", "of another secret"])
def test_a_token_counts_until_the_account_changes_or_it_is_old(at: Door, change: str) -> None:
    token = at.devices.token(at.account)
    match change:
        case "password":
            at.accounts.change("anna", password="quite another one")
        case "shut":
            at.accounts.change("anna", enabled=False)
        case "removed":
            at.accounts.remove("anna")
        case "old":
            at.clock.now += KEPT_SECONDS
        case "forged":
            token = token.replace("anna.1000", "anna.2000")
        case "of another secret":
            token = KnownDevices(at.accounts, b"another", at.clock).token(at.account)
    assert (at.devices.find(token) is not None) is (change == "none")


@pytest.mark.parametrize(
    "token", [None, "", "...", "anna...", "anna.x.y.z", "anna.²³.y.z", "x" * 10_000, "\ud800.1.2.3"]
)
def test_what_is_no_token_is_none(at: Door, token: str | None) -> None:
    assert at.devices.find(token) is None


def test_the_secret_is_kept_and_made_anew_where_it_is_none(tmp_path: Path) -> None:
    made = secret_in(tmp_path)
    assert len(made) == 32
    assert secret_in(tmp_path) == made
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    (tmp_path / KEY_FILE).write_bytes(b"short")
    assert secret_in(tmp_path) == secret_in(tmp_path) != made
    assert len(secret_in(tmp_path / "is not there")) == 32


def test_a_crowd_that_is_sent_away_comes_behind_people_the_next_time(at: Door, compared: Compared) -> None:
    crowd = [(f"name{n}", "guess", f"10.0.1.{n}", None) for n in range(WAITING_MOST + 8)]
    answers = said(at, *crowd)
    assert sum("too many people" in answer for answer in answers) == 8
    compared.names.clear()
    answers = said(at, ("anna", SECRET, "10.0.9.9", None), *crowd)
    assert answers[0] == "in"
    assert compared.names[0] == "anna"
    assert at.refusals.counts["sign_ins"] == 8 + 9


# -- the order


class Queue:
    """The comparing, with its thread held by a first one until all have come."""

    def __init__(self) -> None:
        self.comparing = Comparing()
        self.order: list[str] = []

    async def come(self, *attempts: Attempt) -> list[str]:
        async def one(attempt: Attempt) -> str:
            def compare() -> bool:
                self.order.append(attempt.name)
                return True

            try:
                await self.comparing.compared(attempt, compare)
            except TooManyWaitError:
                return "away"
            return "in"

        return await asyncio.gather(*map(one, attempts))


def stranger(name: str, address: str, failures: int = 0) -> Attempt:
    return Attempt(name, address, known=False, failures=failures)


def test_a_known_browser_comes_first_then_the_fewest_failures_then_who_came_last() -> None:
    queue = Queue()
    crowd = [
        stranger("guesser", "10.0.0.1", 9),
        stranger("first", "10.0.0.2"),
        stranger("second", "10.0.0.3"),
        Attempt("anna", "10.0.0.1", known=True, failures=9),
    ]
    assert asyncio.run(queue.come(*crowd)) == ["in"] * 4
    assert queue.order == ["anna", "second", "first", "guesser"]


def test_of_more_than_may_wait_the_last_in_rank_are_sent_away() -> None:
    """However many addresses guess, who comes with fewer failures has a place."""
    queue = Queue()
    crowd = [stranger(f"guesser {n}", f"10.0.0.{n}", 1) for n in range(WAITING_MOST + 3)]
    answers = asyncio.run(queue.come(*crowd, stranger("berta", "10.0.9.9")))
    assert answers == ["away"] * 4 + ["in"] * WAITING_MOST
    assert queue.order[0] == "berta"


def test_an_address_that_has_not_guessed_takes_a_place_from_those_who_guess_at_the_same_name() -> None:
    queue = Queue()
    crowd = [stranger("anna", f"10.0.0.{n}", n + 1) for n in range(OF_NAME)]
    assert asyncio.run(queue.come(*crowd, stranger("anna", "10.0.9.9"))) == ["in"] * (OF_NAME - 1) + ["away", "in"]


def test_one_address_and_one_name_have_so_many_places_and_no_more() -> None:
    queue = Queue()
    names = [stranger(f"name {n}", "10.0.0.1") for n in range(OF_ADDRESS + 1)]
    same = [stranger("anna", f"10.0.1.{n}") for n in range(OF_NAME + 1)]
    known = [Attempt("anna", "10.0.0.1", known=True, failures=0)]
    answers = asyncio.run(queue.come(*names, *same, *known))
    assert answers == ["in"] * OF_ADDRESS + ["away"] + ["in"] * OF_NAME + ["away"] + ["in"]


def test_a_comparison_that_fails_ends_itself_alone() -> None:
    async def scene() -> None:
        comparing = Comparing()

        def broken() -> bool:
            raise ValueError("no memory")

        bad = asyncio.ensure_future(comparing.compared(stranger("a", "1"), broken))
        good = asyncio.ensure_future(comparing.compared(stranger("b", "2"), lambda: True))
        with pytest.raises(ValueError, match="no memory"):
            await bad
        assert await good
        assert len(comparing) == 0
        comparing.close()

    asyncio.run(scene())


def test_who_goes_before_the_turn_gives_the_place_free() -> None:
    async def scene() -> None:
        comparing = Comparing()
        task = asyncio.ensure_future(comparing.compared(stranger("a", "1"), lambda: True))
        other = asyncio.ensure_future(comparing.compared(stranger("b", "2"), lambda: True))
        await asyncio.sleep(0)
        assert len(comparing) == 2
        task.cancel()
        assert await other
        assert task.cancelled()
        assert len(comparing) == 0
        comparing.close()

    asyncio.run(scene())
