"""What happens at the page, put together and told to the table: in order, later if need be, and never a password."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.door import AccessFact, Away, CommandRefused, NotOnDiskError, PlayStopped, TableAwayError
from feltd.door.access import FACTS_MOST, FAILURES_A_MINUTE, FAILURES_AT_ONCE, NAMES_MOST
from feltd.page.access.accounts import Account
from feltd.page.access.folding import ADDRESSES_MOST, OTHERS, SESSIONS_AT_ONCE, WINDOW
from feltd.page.access.roles import Role
from feltd.page.access.sessions import LONGEST_SECONDS, MOST_OF_ONE, Session
from feltd.page.access.signing_in import SignInRefused
from feltd.page.access.telling import WAITING_MOST, AccessTeller
from feltd.record.access import AccessKind, SessionEnd
from feltd.text.errors import FeltdError
from tests.feltd.access_support import Register
from tests.feltd.test_access_sessions import SECRET, Clock, Door

ANNA = Account("anna", Role.SUPERVISOR, "$argon2id$")
ADDRESS = "10.0.0.7"


class Page:
    """A page without a server, and a table that notes what it is told."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.register = Register()
        self.teller = AccessTeller(self.register, self.clock, self.clock)

    def tell(self) -> None:
        asyncio.run(self.teller.tell())

    def pass_(self, seconds: float) -> None:
        """Time passes, and the page tells each second, as it does."""
        for _ in range(int(seconds)):
            self.clock.now += 1.0
            self.tell()

    def of(self, what: AccessKind) -> list[AccessFact]:
        return [fact for fact in self.register.facts if fact.what is what]


@pytest.fixture
def page() -> Iterator[Page]:
    made = Page()
    made.tell()
    assert [fact.what for fact in made.register.facts] == [AccessKind.PAGE_STARTS]
    made.register.facts.clear()
    yield made
    numbers = [fact.n for fact in made.register.facts]
    assert numbers == sorted(set(numbers))


# -- sign-ins and ends of sessions


@pytest.fixture
def at(tmp_path: Path) -> Door:
    made = Door(tmp_path)
    asyncio.run(made.record.tell())
    made.register.facts.clear()
    return made


def told(at: Door) -> list[tuple[str, ...]]:
    """What the table was told: what, who, and how."""
    asyncio.run(at.record.tell())
    said: list[tuple[str, ...]] = [(fact.what, fact.who or "", fact.how or "") for fact in at.register.facts]
    at.register.facts.clear()
    return said


def test_a_sign_in_and_each_way_out_are_told(at: Door) -> None:
    token = at.sign_in()
    at.sessions.end(token)
    assert told(at) == [("signed_in", "anna", ""), ("session_over", "anna", "signed_out")]
    at.sign_in()
    at.clock.now += 901.0
    at.sessions.sweep()
    assert told(at) == [("signed_in", "anna", ""), ("read_only", "anna", "")]
    at.clock.now += LONGEST_SECONDS - 901.0
    at.sessions.sweep()
    assert told(at) == [("session_over", "anna", "time")]
    token = at.sign_in()
    at.accounts.change("anna", enabled=False)
    assert at.sessions.find(token) is None
    assert told(at) == [("signed_in", "anna", ""), ("session_over", "anna", "account")]
    at.accounts.change("anna", enabled=True)
    at.sessions.end("no token of ours")
    assert told(at) == []


def test_a_session_that_gives_way_to_another_one_is_told(at: Door) -> None:
    for _ in range(MOST_OF_ONE + 1):
        at.sessions.begin(at.account, ADDRESS)
    assert told(at) == [("session_over", "anna", "another")]


def test_the_role_of_an_account_that_is_gone_is_the_one_it_had(at: Door) -> None:
    at.sign_in()
    at.accounts.remove("anna")
    at.sessions.sweep()
    asyncio.run(at.record.tell())
    assert [(fact.who, fact.role, fact.address) for fact in at.register.facts] == [
        ("anna", "supervisor", ADDRESS),
        ("anna", "supervisor", ADDRESS),
    ]


def test_an_account_that_comes_and_goes_without_a_pause_is_told_of_in_one(page: Page) -> None:
    for _ in range(500):
        page.teller.signed_in(ANNA, ADDRESS)
        page.clock.now += 0.01
    page.teller.signed_in(Account("boris", Role.OBSERVER, "$argon2id$"), "10.0.0.8")
    page.pass_(2 * WINDOW + 1)
    facts = page.of(AccessKind.SIGNED_IN)
    assert [fact.who for fact in facts] == ["anna"] * SESSIONS_AT_ONCE + ["boris", "anna"]
    assert sum(fact.times for fact in facts if fact.who == "anna") == 500
    assert (facts[-1].since, facts[-1].at) == pytest.approx((1000.1, 1004.99))


# -- failures


def test_failures_of_an_address_are_one_thing_a_minute(page: Page) -> None:
    for _ in range(30):
        page.teller.failed(ADDRESS, "anna")
    page.teller.failed(ADDRESS, None)
    page.teller.turned_away(ADDRESS)
    page.pass_(WINDOW - 1)
    assert page.register.facts == []
    page.pass_(2)
    [fact] = page.register.facts
    assert (fact.address, fact.times, dict(fact.names), fact.unknown, fact.turned_away) == (
        ADDRESS, 31, {"anna": 30}, 1, 1,
    )  # fmt: skip
    assert fact.since is None or fact.since <= fact.at


def test_a_password_that_was_typed_as_a_name_is_told_to_nobody(at: Door) -> None:
    at.refused(SECRET, "anna")
    at.refused("anna", "wrong")
    at.clock.now += WINDOW
    asyncio.run(at.record.tell())
    [fact] = at.register.facts
    assert (dict(fact.names), fact.unknown, fact.times) == ({"anna": 1}, 1, 2)
    assert SECRET not in repr(at.register.facts)


def test_attempts_that_have_to_wait_are_counted(at: Door) -> None:
    for _ in range(5):
        at.refused("anna", "wrong")
    assert isinstance(at.refused("anna", SECRET), SignInRefused)
    at.clock.now += WINDOW
    asyncio.run(at.record.tell())
    [fact] = at.register.facts
    assert (fact.times, fact.turned_away) == (5, 1)


def test_who_guesses_all_night_from_everywhere_makes_an_entry_a_minute_and_no_guess_is_lost(page: Page) -> None:
    guesses = 0
    for _ in range(12 * 60):
        for n in range(100):
            page.teller.failed(f"10.{n}.{guesses % 250}.1", f"name{n % 20}")
            guesses += 1
        page.clock.now += 60.0
        page.tell()
    asyncio.run(page.teller.close())
    facts = page.of(AccessKind.SIGN_IN_FAILED)
    assert sum(fact.times for fact in facts) == guesses == 72_000
    assert len(facts) <= FAILURES_AT_ONCE + 12 * 60 * FAILURES_A_MINUTE + ADDRESSES_MOST + 1
    assert {fact.address for fact in facts} > {OTHERS}
    assert all(len(fact.names) <= NAMES_MOST for fact in facts)
    assert page.of(AccessKind.LEFT_OUT) == []


def test_failures_of_networks_that_belong_to_one_owner_count_as_one(page: Page) -> None:
    for n in range(50):
        page.teller.failed(f"2001:db8:1:2::{n:x}", None)
    page.pass_(WINDOW + 1)
    [fact] = page.register.facts
    assert (fact.address, fact.unknown) == ("2001:db8:1:2::/64", 50)


# -- a table that does not take it


@pytest.mark.parametrize(
    "refusal", [TableAwayError("away"), PlayStopped("the disk is full"), NotOnDiskError("input/output error")]
)
def test_what_the_table_cannot_take_is_told_later_in_order_with_its_own_time(page: Page, refusal: FeltdError) -> None:
    page.register.refusal = refusal
    began = page.clock.now
    for number in range(3 * FACTS_MOST):
        page.teller.signed_in(Account(f"a{number}", Role.OBSERVER, "$argon2id$"), ADDRESS)
        page.pass_(1)
    assert page.register.facts == []
    page.register.refusal = None
    page.tell()
    assert [fact.who for fact in page.register.facts] == [f"a{number}" for number in range(3 * FACTS_MOST)]
    assert [fact.at for fact in page.register.facts] == [began + number for number in range(3 * FACTS_MOST)]
    assert {len(facts) for facts in page.register.told} == {1, FACTS_MOST}


def test_a_table_that_is_away_is_not_asked(page: Page) -> None:
    page.register.away = Away("out of order")
    page.teller.signed_in(ANNA, ADDRESS)
    page.pass_(5)
    assert page.register.facts == []
    page.register.away = None
    page.tell()
    assert [fact.who for fact in page.register.facts] == ["anna"]


def test_what_is_too_much_to_keep_is_counted_at_its_place(page: Page) -> None:
    page.register.refusal = PlayStopped("the disk is full")
    for number in range(WAITING_MOST + 7):
        page.teller.signed_in(Account(f"a{number}", Role.OBSERVER, "$argon2id$"), ADDRESS)
    page.tell()
    page.register.refusal = None
    page.tell()
    page.teller.signed_in(ANNA, ADDRESS)
    page.tell()
    last = page.register.facts[-3:]
    assert [fact.what for fact in last] == [AccessKind.SIGNED_IN, AccessKind.LEFT_OUT, AccessKind.SIGNED_IN]
    assert dict(last[1].left_out) == {"signed_in": 7}
    assert last[2].who == "anna"


def test_failures_that_wait_for_the_table_are_put_together_for_longer(page: Page) -> None:
    page.register.refusal = PlayStopped("the disk is full")
    for _ in range(600):
        for n in range(20):
            page.teller.failed(f"10.0.0.{n}", "anna")
        page.pass_(60)
    page.teller.signed_in(ANNA, ADDRESS)
    page.register.refusal = None
    page.pass_(20 * WINDOW)
    assert sum(fact.times for fact in page.of(AccessKind.SIGN_IN_FAILED)) == 12_000
    assert page.of(AccessKind.LEFT_OUT) == []
    assert [fact.who for fact in page.of(AccessKind.SIGNED_IN)] == ["anna"]


def test_a_table_that_knows_no_such_thing_keeps_nobody_waiting(page: Page) -> None:
    page.register.refusal = CommandRefused('the table knows no "tell_access"')
    page.teller.signed_in(ANNA, ADDRESS)
    page.pass_(3)
    page.register.refusal = None
    page.pass_(WINDOW + 1)
    [fact] = page.register.facts
    assert (fact.what, dict(fact.left_out)) == (AccessKind.LEFT_OUT, {"signed_in": 1})


def test_a_page_that_ends_tells_what_it_still_has(page: Page) -> None:
    page.teller.failed(ADDRESS, None)
    session = Session("anna", "", 0.0, 0.0, ADDRESS, "", "supervisor")
    page.teller.session_over(session, SessionEnd.SIGNED_OUT)
    asyncio.run(page.teller.close())
    assert sorted(fact.what for fact in page.register.facts) == ["session_over", "sign_in_failed"]
