"""Players' names: no stream has one, desks see them, and an erased one is gone while all else stays as it was."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.custody.errors import CustodyError
from feltd.door.commands import StepRefused
from feltd.door.pit.directing import TournamentAsk
from feltd.floor import forgetting
from feltd.floor.engine import Engine
from feltd.floor.forgetting import Forgetting, StillPlayedError, drawn_list
from feltd.floor.players import Erasure, Names, Player, has_plain_name
from feltd.floor.postgres import PostgresEngine
from feltd.floor.streams import MemoryStreams
from floor_fsm.drawing import commitment_of, seed_of
from floor_fsm.state.draw import Draw
from floor_fsm.state.seating import Seating
from tests.floor.conftest import emptied
from tests.floor.directing_support import At, Clock, directing, entry
from tests.floor.postgres_support import Server
from tests.floor.waiting_support import waiting
from tests.floor_fsm.support import SECRETS

DAY, USAGE = 86_400, 2
Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


def people(at: At) -> list[tuple[str, str]]:
    """Everybody by card and name, as a desk has them."""
    state: Any = at.floor.news(TournamentAsk("cup", 0)).state
    return [(one["person"], one["name"]) for one in state["Entries"]["by_number"].values()]


async def drawn(at: At) -> None:
    """Seats are drawn, with two people apart."""
    await at.opened()
    await at.say({"ev": "draw.committed", "commitment": commitment_of(SECRETS[0])})
    await at.say(*(entry(number) for number in range(1, 7)), {"ev": "associates", "persons": ["p1", "p2"]})
    await at.say({"ev": "seats.drawn", "secret": SECRETS[0].hex(), "short_tables": True})


def test_a_name_is_erased_and_every_seat_digest_and_proof_stays(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        at = At(directing(floor.tournaments))
        await drawn(at)
        kept = "\n".join(event.line for event in await floor.tournaments.events("cup", 0, 100))
        assert [word for number in range(1, 7) for word in (f"Mx {number}", f'"p{number}"') if word in kept] == []
        assert people(at) == [(f"p{number}", f"Mx {number}") for number in range(1, 7)]
        fold = at.floor.fold("cup")
        assert fold.tournament is not None
        digest = fold.tournament.digest()

        [(cup, player)] = await floor.tournaments.players.with_card("p2")
        assert (cup, player.person, player.name) == ("cup", "p2", "Mx 2")
        gone = Erasure(cup, player.token, "lea", "the player asked for it")
        assert await floor.tournaments.players.erase([gone]) == 1
        assert await floor.tournaments.players.erase([gone]) == 0, "it is gone already"
        await at.floor.look()
        others = [(f"p{number}", f"Mx {number}") for number in (1, 3, 4, 5, 6)]
        token = player.token
        assert people(at) == [others[0], (f"card-{token}", f"player-{token}"), *others[1:]]
        assert await floor.tournaments.players.with_card("p2") == []
        assert await floor.tournaments.players.erasures() == [gone]

        lines = (await drawn_list(floor.tournaments, "cup")).splitlines()
        persons = {int(line.split("\t")[0]): line.split("\t")[1] for line in lines}
        assert seed_of(SECRETS[0], persons).hex() == fold.tournament.parts.of(Draw).seed, "anybody draws again"

        again = directing(floor.tournaments)
        await again.look()
        whole = again.fold("cup")
        assert whole.wrong is None, "the chain proves itself"
        assert whole.tournament is not None
        assert whole.tournament.digest() == digest
        assert whole.tournament.parts.of(Seating).places == fold.tournament.parts.of(Seating).places
        assert people(At(again)) == people(at)

    engine(work)


def test_what_is_kept_of_a_person_is_told_and_erased_once_the_tournament_is_over(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        at = At(directing(floor.tournaments))
        await drawn(at)
        names = Forgetting(at.floor, floor.tournaments.players, waiting(floor.waiting))
        [told] = await names.of_person("p2")
        assert (told["tournament"], told["title"], told["card"], told["name"]) == ("cup", "Tuesday cup", "p2", "Mx 2")
        [kept] = told["entries"]
        assert (kept["entry"], kept["standing"], kept["prize"]) == (2, "in_play", 0)
        with pytest.raises(StillPlayedError, match="cup is not over"):
            await names.erase("p2", "lea", "asked for it")
        await at.say({"ev": "tournament.cancelled", "refund": True})
        assert await names.erase("p2", "lea", "asked for it") == ["cup"]
        assert await names.of_person("p2") == []
        assert await names.erase("p2", "lea", "asked for it") == []

    engine(work)


def test_names_are_let_go_so_many_days_after_the_last_event_and_of_no_tournament_that_goes_on() -> None:
    async def work() -> None:
        streams, clock = MemoryStreams(), Clock()
        at = await At(directing(streams, clock)).opened(entries=3)
        names = Forgetting(at.floor, streams.players, waiting(MemoryStreams()))
        clock.now += 400 * DAY
        assert await names.let_go(30, clock.now) == 0, "it is not over"
        await at.say({"ev": "tournament.cancelled", "refund": True})
        clock.now += 30 * DAY - 1
        assert await names.let_go(30, clock.now) == 0
        clock.now += 1
        assert await names.let_go(30, clock.now) == 3
        await at.floor.look()
        assert [one.who for one in await streams.players.erasures()] == ["floord"] * 3
        assert all(person.startswith("card-") and name.startswith("player-") for person, name in people(at))
        assert await names.let_go(30, clock.now) == 0

    asyncio.run(work())


def test_a_name_whose_event_was_not_kept_is_let_go_and_no_other(engine: Run) -> None:
    """Another desk came first, or floord ended in between: the name is there, and no event has it."""

    async def work(floor: Engine) -> None:
        at = await At(directing(floor.tournaments)).opened(entries=2)
        players, said = floor.tournaments.players, Player("ab" * 8, "1001", "Anna Meier")
        await at.say({"ev": "associates", "persons": ["p1", "p9"]})
        await players.keep("cup", said)
        names = Forgetting(at.floor, players, waiting(floor.waiting))
        assert await names.let_go_unnamed() == 0, "the event may be on its way"
        assert await players.erase_unnamed(Erasure("cup", said.token, "floord", "a try"), 3600.0) is False
        with patch.object(forgetting, "UNNAMED_FOR", -1.0):  # as an hour later
            assert await names.let_go_unnamed() == 1
            assert await names.let_go_unnamed() == 0
        assert {one.person for one in await players.of("cup")} == {"p1", "p2", "p9"}
        [gone] = await players.erasures()
        assert (gone.token, gone.who) == (said.token, "floord")
        await players.keep("cup", said)
        assert [one.name for one in await players.of("cup") if one.person == "1001"] == ["Anna Meier"], "as if new"

    engine(work)


def test_the_list_is_known_before_the_draw_and_names_nobody() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        await At(directing(streams)).opened(entries=2)
        lines = (await drawn_list(streams, "cup")).splitlines()
        assert [line.split("\t")[0] for line in lines] == ["1", "2"]
        assert all(line.split("\t")[1].startswith("card-") for line in lines)
        with pytest.raises(CustodyError, match="no tournament of this id"):
            await drawn_list(streams, "none")

    asyncio.run(work())


def test_two_floords_know_one_person_by_one_token_and_refusals_have_the_name() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        one = await At(directing(streams)).opened(entries=1)
        two = At(directing(streams))
        await two.floor.look()
        with pytest.raises(StepRefused, match="Mx 1 has entry 1, which is not over"):
            await two.say({**entry(2), "person": "p1"})
        await two.say(entry(2))
        await one.floor.look()
        with pytest.raises(StepRefused, match="Mx 2 has entry 2"):
            await one.say({**entry(3), "person": "p2", "name": "Another"})
        assert people(one) == people(two) == [("p1", "Mx 1"), ("p2", "Mx 2")], "what is refused renames nobody"
        lines = [line.event for line in one.floor.news(TournamentAsk("cup", 0)).lines]
        assert [line["name"] for line in lines if line["ev"] == "entry"] == ["Mx 1", "Mx 2"]
        await one.say({"ev": "entry.corrected", "entry": 2, "person": "p2", "name": "Mx Two"})
        await two.floor.look()
        assert people(one) == people(two) == [("p1", "Mx 1"), ("p2", "Mx Two")], "a name is put right for every desk"
        kept = "".join(event.line for event in await streams.events("cup", 0, 100))
        assert "Mx" not in kept

    asyncio.run(work())


def test_an_older_stream_that_has_names_is_read_as_it_is() -> None:
    old = {"ev": "entry", "entry": 1, "person": "1001", "name": "Anna Meier"}
    assert Names().in_event(old) == old
    assert Names().in_words("Anna Meier has entry 1") == "Anna Meier has entry 1"
    state = {"Entries": {"by_number": {"1": {"person": "1001", "name": "Anna"}}}, "People": {"barred": ["1001"]},
             "Draw": {"groups": [["1001"]]}}  # fmt: skip
    assert Names().in_state(state) == state
    assert Names().in_state({}) == {}


@pytest.mark.parametrize(
    "said",
    [
        {"ev": "entry", "entry": 1, "person": 5, "name": "Anna"}, {"ev": "entry", "entry": 1},
        {"ev": "entry", "entry": 1, "person": "", "name": "Anna"}, {"ev": "associates", "persons": "1001"},
        {"ev": "late.closed", "name": "Anna", "person": "1001"}, {},
    ],
)  # fmt: skip
def test_what_is_no_name_is_left_for_the_tournament_to_refuse(said: dict[str, Any]) -> None:
    assert Names().in_tokens(said) == (said, ())


def test_an_event_with_a_name_and_no_token_has_a_plain_name() -> None:
    tokens = {"ev": "entry", "person": "card-" + "0" * 16, "name": "player-" + "0" * 16}
    assert not has_plain_name(tokens)
    assert not has_plain_name({"ev": "late.closed", "name": "Anna", "person": "1001"})
    for said in ({"person": " "}, {"person": 5}, {"name": "Anna"}, {"name": tokens["person"]}, {"name": None}):
        assert has_plain_name(tokens | said), said


def test_a_name_that_looks_like_a_token_is_a_name_like_any_other() -> None:
    names = Names([Player("0" * 16, "1001", "Anna Meier")])
    said = {"ev": "entry", "entry": 2, "person": "card-" + "0" * 16, "name": "player-" + "0" * 16}
    kept, [player] = names.in_tokens(said)
    assert kept["name"] != said["name"], "nobody gets another person's name shown by typing their token"
    assert player.name == said["name"]


def test_a_card_has_one_token_however_it_is_spelled() -> None:
    names = Names([Player("0" * 16, "AB-1", "Anna Meier")])
    kept, [player] = names.in_tokens({"ev": "entry", "entry": 2, "person": "ab-1", "name": "Anna"})
    assert (kept["person"], player.person) == ("card-" + "0" * 16, "AB-1")
    kept, named = Names().in_tokens({"ev": "associates", "persons": ["AB-1", "ab-1", "C"]})
    assert (kept["persons"][0], len(named)) == (kept["persons"][1], 2)


def test_a_card_is_one_person_in_the_database_with_blanks_and_capital_letters(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        await At(directing(engine.tournaments, Clock())).opened()
        players = engine.tournaments.players
        first, second = "1" * 16, "2" * 16
        assert await players.keep("cup", Player(first, "AB 12", "Anna")) == first
        assert await players.keep("cup", Player(second, "ab12", "Anna Meier")) == first
        assert await players.keep("cup", Player("3" * 16, "AB13", "Ben")) == "3" * 16
        [(cup, found)] = await players.with_card("a B12")
        assert (cup, found.token, found.name) == ("cup", first, "Anna Meier")

    engine(work)


def test_a_card_with_blanks_is_the_card_without_them() -> None:
    names = Names([Player("0" * 16, "1001", "Anna Meier")])
    _, [player] = names.in_tokens({"ev": "entry", "entry": 2, "person": " 10 01", "name": "Anna"})
    assert player.token == "0" * 16
    _, [new] = Names().in_tokens({"ev": "entry", "entry": 2, "person": "20 02", "name": "Ben"})
    assert new.person == "2002"


@pytest.mark.parametrize(
    ("card", "name", "like"),
    [
        ("01001", "X", True), ("10-01", "X", True), ("7", "anna  MEIER", True), ("7", "Meier, Anna", True),
        ("7", "Anná Meier", True), ("7", "Anna Meyer", False), ("1001", "Anna Meier", False), ("1010", "X", False),
    ],
)  # fmt: skip
def test_who_is_perhaps_somebody_under_another_spelling_is_found(card: str, name: str, like: bool) -> None:
    names = Names().having([Player("0" * 16, "1001", "Anna Meier")])
    assert bool(names.like(Player("9" * 16, card, name))) is like
    renamed = names.having([Player("0" * 16, "1001", "Zoe")])
    assert renamed.like(Player("9" * 16, "7", "anna meier")) == [], "that name is nobody's any more"


def test_umlauts_are_written_in_two_ways() -> None:
    names = Names([Player("0" * 16, "1", "Jörg Strauß")])
    assert names.like(Player("1" * 16, "2", "Strauss, Joerg"))


def test_names_are_exported_and_erased_at_the_shell(postgres: Server, tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    own = "".join(f'{name} = "{tmp_path / name}"\n' for name in ("certificate", "key", "authority"))
    file.write_text(f'[floor]\ndatabase = "{postgres.address("floord")}"\n{own}')

    async def made() -> None:
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        at = await At(directing(engine.tournaments)).opened(entries=2)
        await at.say({"ev": "tournament.cancelled", "refund": True})
        await engine.close()

    asyncio.run(made())

    def run(*words: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(cli, ["floor", "players", "--config", str(file), *words])
        return done.exit_code, done.stdout, done.stderr

    code, told, _ = run("export", "p2")
    assert (code, [one["name"] for one in json.loads(told)]) == (0, ["Mx 2"])
    assert run("erase", "p2", "--why", "p2 has asked for it")[0] == USAGE, "the number would stand there for ever"
    backups = tmp_path / "backups"
    for name, page in (
        ("floor-2026-11-01T021500Z", {"at": 1_793_499_300, "keep": 14}), ("by-hand", {"at": 1_793_499_300}),
    ):  # fmt: skip
        (backups / name).mkdir(parents=True)
        (backups / name / "backup.json").write_text(json.dumps(page))
    (backups / "notes").mkdir()
    code, told, _ = run("erase", "p2", "--why", "asked for it", "--backups", str(backups))
    assert code == 0
    night = backups / "floor-2026-11-01T021500Z"
    assert told.splitlines()[:4] == [
        "cup: name and number are erased",
        f"{backups / 'by-hand'} has the name still, until somebody removes it",
        f"{night} has the name still, until the nightly backup removes it about 2026-11-15",
        "sooner: remove these folders (rm -r)",
    ]
    assert "carried elsewhere" in told
    assert run("erase", "p2", "--why", "asked for it", "--backups", str(backups))[0] == 1
    code, told, _ = run("erase", "p1", "--why", "asked for it", "--backups", str(tmp_path / "none"))
    assert (code, f"no backup lies in {tmp_path / 'none'}" in told) == (0, True)
    assert run("export", "p2")[:2] == (1, "[]\n")
    code, told, _ = run("erased")
    assert told.startswith("cup: player-")
    assert told.endswith("(floor's shell): asked for it\n")
