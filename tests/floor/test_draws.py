"""floord keeps the secrets of draws: nobody has one before its draw, and each fits what was committed to."""

import asyncio
import json
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from feltd.books.shipped import tournament_sources
from feltd.door import CommandRefused
from feltd.door.commands import StepRefused
from feltd.door.pit.directing import Step, TournamentAsk
from feltd.floor.directing import Directing
from feltd.floor.draws import DRAWS, Draws, draws_in
from feltd.floor.forgetting import drawn_list
from feltd.floor.refusals_kept import _WHOLE, RefusalsKept
from feltd.floor.streams import MemoryStreams
from floor_fsm.core.event import Event
from floor_fsm.drawing import commitment_of
from floor_fsm.errors import Reason, Refused
from tests.floor.directing_support import CUP, LEA, MAX, TERMS, At, Clock, entry


def with_draws(streams: MemoryStreams, folder: Path) -> Directing:
    """A floord that keeps secrets in this folder."""
    return Directing(streams, tournament_sources(), Clock(), Draws(folder))


def test_the_director_commits_and_draws_without_ever_having_a_secret(tmp_path: Path) -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = At(with_draws(streams, tmp_path))
        await at.floor.open(CUP)
        assert at.floor.news(TournamentAsk("cup", 0)).draws is None
        committed = await at.say(TERMS, {"ev": "draw.committed"})
        [told] = committed.outputs
        assert told["kind"] == "draw_committed"
        file = tmp_path / "cup.secrets"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        await at.say(*(entry(number) for number in range(1, 5)))
        news = at.floor.news(TournamentAsk("cup", 0))
        assert news.draws == DRAWS
        root = file.read_text().strip()
        everything = json.dumps([[event.line for event in streams.kept["cup"]], str(news), repr(at.floor._draws)])
        assert root not in everything
        with pytest.raises(StepRefused) as refused:
            await at.say({"ev": "table.breaks", "table": "T1"})
        assert refused.value.reason == Reason.UNKNOWN_ENTRY

        at = At(with_draws(streams, tmp_path))
        await at.floor.look()
        drawn = await at.say({"ev": "seats.drawn", "short_tables": True})
        first = next(one for one in drawn.outputs if one["kind"] == "draw")["secret"]
        assert commitment_of(bytes.fromhex(first)) == told["commitment"]
        late = await at.say(entry(5), {"ev": "seat.late", "entry": 5})
        second = next(one for one in late.outputs if one["kind"] == "draw")["secret"]
        assert commitment_of(bytes.fromhex(second)) == first
        assert at.floor.news(TournamentAsk("cup", 0)).draws == DRAWS - 2
        with pytest.raises(StepRefused, match="not the secret that was committed to"):
            await at.say(entry(6), {"ev": "seat.late", "entry": 6, "secret": first})

    asyncio.run(work())


def test_a_second_commitment_leaves_the_secrets_of_the_first(tmp_path: Path) -> None:
    async def work() -> None:
        at = At(with_draws(MemoryStreams(), tmp_path))
        await at.floor.open(CUP)
        await at.say(TERMS)
        both = await asyncio.gather(
            *(at.floor.step(Step("cup", 2, {"ev": "draw.committed"}, LEA)) for _ in range(2)), return_exceptions=True
        )
        assert sum(isinstance(one, CommandRefused) for one in both) == 1
        root = (tmp_path / "cup.secrets").read_text()
        with pytest.raises(StepRefused, match="committed to"):
            await at.say({"ev": "draw.committed"})
        assert (tmp_path / "cup.secrets").read_text() == root
        await at.say(*(entry(number) for number in range(1, 5)), {"ev": "seats.drawn", "short_tables": True})

    asyncio.run(work())


def test_secrets_that_are_not_here_are_told_with_the_step_or_the_seats_are_given(tmp_path: Path) -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = At(Directing(streams, tournament_sources(), Clock()))
        await at.floor.open(CUP)
        own = bytes(range(32))
        await at.say(TERMS, {"ev": "draw.committed", "commitment": commitment_of(own)})
        at = At(with_draws(streams, tmp_path))
        await at.floor.look()
        await at.say(*(entry(number) for number in range(1, 5)))
        assert at.floor.news(TournamentAsk("cup", 0)).draws is None
        with pytest.raises(CommandRefused, match="has no secret for this draw"):
            await at.say({"ev": "seats.drawn", "short_tables": True})
        await at.say({"ev": "seats.drawn", "short_tables": True, "secret": own.hex()})

        (tmp_path / "cup.secrets").write_text("no hex")
        at = At(with_draws(streams, tmp_path))
        await at.floor.look()
        assert at.floor.news(TournamentAsk("cup", 0)).draws is None
        with pytest.raises(CommandRefused, match="cannot be read: give the seats by hand"):
            await at.say(entry(5), {"ev": "seat.late", "entry": 5})
        other = MemoryStreams()
        at = At(with_draws(other, tmp_path / "nowhere"))
        await at.floor.open(CUP)
        with pytest.raises(CommandRefused, match="cannot be kept in"):
            await at.say(TERMS, {"ev": "draw.committed"})
        assert at.seq == 2, "nothing is committed to whose secrets are not on the disk"
        with pytest.raises(StepRefused, match="no commitment was published"):
            await at.say(entry(1), {"ev": "seats.drawn", "secret": own.hex()})
        with pytest.raises(CommandRefused, match="secret: Field required"):
            await at.say({"ev": "seats.drawn"})

    asyncio.run(work())


def test_where_the_floor_keeps_secrets_nobody_commits_to_their_own(tmp_path: Path) -> None:
    """Who has the secret knows the seats of each list while entries are open, and closes it when it suits."""

    async def work() -> None:
        streams, own = MemoryStreams(), Kept()
        at = At(Directing(streams, tournament_sources(), Clock(), Draws(tmp_path), own))
        await at.floor.open(CUP)
        await at.say(TERMS)
        for kept_by in ({}, {"kept_by": "floor"}):
            with pytest.raises(StepRefused, match="nobody commits to their own") as refused:
                await at.say({"ev": "draw.committed", "commitment": commitment_of(bytes(32)), **kept_by})
            assert refused.value.reason == Reason.NOT_ALLOWED
        assert own.kept == ["draw.committed", "draw.committed"], "that somebody wanted it is on record"
        [told] = (await at.say({"ev": "draw.committed", "kept_by": "director"})).outputs
        assert told["kept_by"] == "floor", "who keeps them the floor says itself"

        alone = At(Directing(MemoryStreams(), tournament_sources(), Clock()))
        await alone.floor.open(CUP)
        said = {"ev": "draw.committed", "commitment": commitment_of(bytes(32)), "kept_by": "floor"}
        [told] = (await alone.say(TERMS, said)).outputs
        assert told["kept_by"] == "director"

    asyncio.run(work())


class Kept(RefusalsKept):
    """The floor's own record, of which a test wants the refused events."""

    def __init__(self) -> None:  # it has no database
        self.kept: list[str] = []

    async def keep(
        self, tournament: str, seq: int, event: Event, refused: Refused, part: Mapping[str, int] = _WHOLE
    ) -> None:
        """Take what was refused."""
        assert (tournament, seq, refused.reason, part) == ("cup", 2, Reason.NOT_ALLOWED, {})
        self.kept.append(event.ev)


def test_two_people_annul_a_draw_and_the_list_that_is_printed_is_that_of_the_next(tmp_path: Path) -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = At(with_draws(streams, tmp_path))
        await at.floor.open(CUP)
        await at.say(TERMS, {"ev": "draw.committed"}, *(entry(number) for number in range(1, 5)))
        await at.say({"ev": "seats.drawn", "short_tables": True})
        first = await drawn_list(streams, "cup")
        with pytest.raises(StepRefused):
            await at.say({"ev": "draw.annulled"})
        await at.say({"ev": "draw.objected"})
        with pytest.raises(StepRefused, match="another person annuls it") as refused:
            await at.say({"ev": "draw.annulled"})
        assert refused.value.reason == Reason.ONE_PERSON
        assert await drawn_list(streams, "cup") == first
        annulled = await at.floor.step(Step("cup", at.seq, {"ev": "draw.annulled"}, MAX))
        assert [one["kind"] for one in annulled.outputs] == ["draw_annulled", *["seat_free"] * 4]
        await at.say(entry(5))
        waiting = await drawn_list(streams, "cup")
        assert (len(first.splitlines()), len(waiting.splitlines())) == (4, 5)
        await at.say({"ev": "seats.drawn", "short_tables": True})
        assert await drawn_list(streams, "cup") == waiting

        again = At(with_draws(streams, tmp_path))
        await again.floor.look()
        assert again.floor.fold("cup").state() == at.floor.fold("cup").state()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("folder", "environment", "there"),
    [
        ("own", {"STATE_DIRECTORY": "/var/lib/feltd-floor"}, "own"),
        (None, {"STATE_DIRECTORY": "/var/lib/feltd-floor"}, "/var/lib/feltd-floor"),
        (None, {"STATE_DIRECTORY": "/var/lib/feltd-floor:/var/lib/other"}, "/var/lib/feltd-floor"),
        (None, {"STATE_DIRECTORY": ""}, None),
        (None, {}, None),
    ],
)
def test_floord_keeps_the_secrets_in_its_own_folder_where_no_other_is_named(
    folder: str | None, environment: dict[str, str], there: str | None
) -> None:
    draws = draws_in(None if folder is None else Path(folder), environment)
    assert (None if draws is None else str(draws.folder)) == there
    unit = Path(__file__).parents[2] / "systemd/feltd-floor.service"
    assert "StateDirectory=feltd-floor\n" in unit.read_text(encoding="utf-8"), (
        "so floord always keeps them under systemd"
    )
