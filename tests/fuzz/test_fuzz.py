"""Each target takes the inputs that are kept, and some hundred others, the same ones each time."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

from feltd.door.wire.errors import WireError
from feltd.page.connections import Connection, Connections
from feltd.record.signed_heads import SignedHead
from tests.feltd.page_support import Page
from tests.fuzz import target as target_module
from tests.fuzz.__main__ import main
from tests.fuzz.by_chance import drawn, play_by_chance
from tests.fuzz.changing import PLAIN
from tests.fuzz.files import RECORD
from tests.fuzz.requests import REQUESTS, Visits
from tests.fuzz.running import FindingError, play, play_for, replay, save
from tests.fuzz.target import Judge, Target
from tests.fuzz.targets import TARGETS

INPUTS = {"record": 150, "rows": 150, "requests": 100, "door": 100}
"""How many of each; else 400."""


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_thrown_at_it_is_taken_or_refused(name: str) -> None:
    with TARGETS[name].opened() as judge:
        for path in TARGETS[name].kept():
            judge(path.read_bytes())
        assert play(TARGETS[name], judge, INPUTS.get(name, 400)) > 50


# -- the fuzzing finds what there is to be found


def test_the_firmwares_targets_want_their_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    quiet = tmp_path / "quiet"
    quiet.write_text("#!/bin/sh\n")
    quiet.chmod(0o755)
    monkeypatch.setattr("sys.argv", ["fuzz", "firmware-led"])
    with pytest.raises(SystemExit):
        main()
    assert "no target firmware-led: firmware, firmware-led want their programs" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["fuzz", "firmware-led", "--led", str(quiet), "--seconds", "1", "--chance", "7"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("chance 7\nfirmware-led: 0 inputs in ")


@contextmanager
def _no_bang() -> Iterator[Judge]:
    def judge(data: bytes) -> None:
        if b"!" in data:
            raise KeyError(data)

    yield judge


BANG = Target("bang", _no_bang, lambda: [b"good morning"], (b"a word!",))


def test_a_finding_is_made_small_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_module, "CORPUS", tmp_path)
    with pytest.raises(FindingError) as found:
        play_for(BANG, 60.0, 7)
    assert found.value.data == b"!"
    assert isinstance(found.value.__cause__, KeyError)
    file = save(found.value, BANG)
    assert file.parent == tmp_path / "bang"
    with pytest.raises(KeyError):
        replay(BANG, file)
    with pytest.raises(FindingError) as again:
        play_for(BANG, 0.0, 7)
    assert again.value.data == b"!"


def test_by_chance_alone_a_finding_is_found_and_made_small_too() -> None:
    with pytest.raises(FindingError) as found:
        play_by_chance(BANG, 60.0, 7)
    assert found.value.data == b"!"
    assert isinstance(found.value.__cause__, KeyError)


@pytest.mark.parametrize("name", ["frames", "bodies"])
def test_by_chance_alone_the_same_number_draws_the_same_inputs(name: str) -> None:
    known = list(TARGETS[name].seeds())
    first, again, other = ([drawn(Random(n), known, PLAIN) for _ in range(9)] for n in (7, 7, 8))
    assert first == again != other


def test_without_a_finding_it_goes_on_until_its_time_is_over() -> None:
    times = iter([0.0, 1.0, 2.0, 3.0, 4.0])
    quiet = Target("quiet", _no_bang, lambda: [b"x"])

    @contextmanager
    def silent() -> Iterator[Judge]:
        yield lambda data: None

    ran = play_for(Target("quiet", silent, quiet.seeds), 2.0, 1, lambda: next(times))
    assert ran.inputs >= 400
    assert ran.seconds == 3.0


@pytest.mark.parametrize("name", ["record", "rows"])
def test_a_record_that_is_changed_and_sound_would_be_a_finding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a check that finds nothing the target speaks up: it does not pass by reading nothing."""
    from tests.fuzz import files

    monkeypatch.setattr(files, "_sound", lambda verification: True)
    monkeypatch.setattr(files, "verify_export", list)
    with TARGETS[name].opened() as judge:
        data = RECORD.read_bytes().replace(b'"zone":"seat:1"', b'"zone":"seat:2"')
        assert data != RECORD.read_bytes()
        with pytest.raises(AssertionError, match="sound"):
            judge(data if name == "record" else b"\x03\x0c\x01{}")


def test_a_pit_that_takes_a_value_of_another_type_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from feltd.floor import folding

    data = b'output level\n{"level": {"level": "four"}}'
    with TARGETS["pit"].opened() as judge:
        judge(data)
        monkeypatch.setattr(folding, "whole", lambda body, name: body.get(name))
        with pytest.raises(WireError, match="whole number"):
            judge(data)


def test_a_witness_that_takes_what_nobody_signed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SignedHead, "is_by", lambda *_: True)
    with TARGETS["witness"].opened() as judge:
        seed = TARGETS["witness"].seeds()[0]
        with pytest.raises(AssertionError, match="did not sign"):
            judge(seed.replace(b" 3 3000 ", b" 4 3000 "))


# -- requests reach the page, and what goes wrong there is found


GOOD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_a_thousand_visitors_are_all_answered_by_the_page_itself(tmp_path: Path) -> None:
    """None is refused for coming too fast: what is refused unread tests nothing."""

    async def ask() -> list[bytes]:
        page = Page(tmp_path)
        visits = Visits(page)
        answers = []
        for _ in range(1000):
            page.bench.time.pass_(1.0)
            answers.append(await visits.ask(GOOD))
        visits.close()
        page.close()
        return answers

    assert {answer.split(b"\r\n")[0] for answer in asyncio.run(ask())} == {b"HTTP/1.1 200 OK"}


def test_a_page_that_answers_a_request_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "send_400_response", H11Protocol.send_400_response)
    [kept] = REQUESTS.kept()
    with REQUESTS.opened() as judge, pytest.raises(AssertionError, match="Traceback"):
        judge(kept.read_bytes())


def test_a_page_that_keeps_a_place_for_a_visitor_who_left_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connections, "left", lambda *_: None)
    with REQUESTS.opened() as judge, pytest.raises(AssertionError, match="for nobody"):
        judge(GOOD)
