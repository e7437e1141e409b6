"""The bench runs: every part of it, at sizes that say nothing. What it measures is asserted nowhere."""

import asyncio
import subprocess
from functools import partial
from pathlib import Path

import pytest

from feltd.record.database import PAGE_BYTES
from firmware_bridge.facts import LinkCounters
from tests.bench import (
    flooding,
    hands,
    insiders,
    lamp,
    log_pages,
    noise,
    paced,
    paced_wire,
    rounds,
    undisturbed,
    upgrader,
)
from tests.bench.__main__ import TINY, Part, main, measure, parts
from tests.bench.card import BLOCK_BYTES, WARMING
from tests.bench.report import Row, Spread, machine, micro, table
from tests.chromium import CHROMIUM
from tests.devices.direct_play import BOOKS

pytestmark = pytest.mark.slow

WITH_GOAL = [
    *["Table.apply, "] * len(BOOKS),
    "Tournament.apply, ",
    "all rulebooks and structures loaded",
    "Frame at the terminal to the lamp's frame, at a busy table",
    "Frame at the terminal to the lamp's frame, after 20 ms of rest",
    "Event to synced acknowledgement",
    "feltd replay",
    "feltd table, start to ready",
    "– resident memory",
    "– processor while idle",
    "Event to the state at 10 readers over HTTP",
    "Event through table and keeper, 10 readers beside that never read",
    "– memory for them",
]
IN_CHROMIUM = [
    "First view of the table, loaded and drawn",
    "– bytes on the wire",
    "Main thread of a tab while",
    "Event to what 10 open tabs show",
]
if CHROMIUM is not None:
    WITH_GOAL += IN_CHROMIUM
WITH_GOAL += ["– beside 20 idle connections and 4 streams", "– and 40 addresses that guess"]


@pytest.mark.timeout(3600)  # it starts thirteen processes; a machine with other work takes its time over them
def test_every_goal_has_its_line_with_a_verdict_and_all_comparisons_a_ratio(tmp_path: Path) -> None:
    found = measure(parts(TINY, tmp_path))
    assert found.failed == []
    rows = found.rows
    judged = [row for row in rows if row.goal]
    assert [name for row, name in zip(judged, WITH_GOAL, strict=True) if not row.measured.startswith(name)] == []
    assert all(any(f" {book}, " in row.measured for row in judged) for book in BOOKS)
    assert all(row.reached is not None for row in judged)
    assert all(row.ratio is not None and row.ratio > 0 for row in rows if row.beside)
    printed = table(rows).splitlines()
    assert len(printed) == len(rows) + 2
    assert len({len(line) for line in printed}) == 1
    assert all("reached" in line for row, line in zip(rows, printed[2:], strict=True) if row.goal)


def test_a_part_that_fails_is_told_and_takes_no_others_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> list[Row]:
        raise ConnectionError("nobody is let in")

    found = measure(
        [Part("one", lambda: [Row("a", "1 ms")]), Part("two", fails), Part("three", lambda: [Row("b", "2")])]
    )
    assert [row.measured for row in found.rows] == ["a", "b"]
    assert found.failed == ["two: ConnectionError: nobody is let in"]
    assert "bench: NOT MEASURED: two: ConnectionError: nobody is let in" in capsys.readouterr().err


def test_one_part_is_measured_alone_and_a_name_that_no_part_has_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = ["bench", "--tiny", "--folder", str(tmp_path), "--only"]
    monkeypatch.setattr("sys.argv", [*asked, "loading"])
    assert main() == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "all rulebooks and structures loaded" in line]
    monkeypatch.setattr("sys.argv", [*asked, "the weather"])
    with pytest.raises(SystemExit):
        main()
    assert "--only the weather: no part has these words in its name" in capsys.readouterr().err


@pytest.mark.timeout(600)
def test_what_an_insider_makes_a_table_write_is_measured(tmp_path: Path) -> None:
    rows = insiders.measure(tmp_path / "table", pairs=1, seconds=0.5, burst=0.5, kinds=("commands", "questions"))
    assert [row.measured.partition(",")[0] for row in rows] == [
        "An insider floods with commands: it writes at first", "– after 0.5 s", *["– beside it"] * 2,
        "An insider floods with questions: it writes at first", "– after 0.5 s", *["– beside it"] * 2,
    ]  # fmt: skip
    assert all("entries" in row.value for row in rows[:2])


@pytest.mark.timeout(600)
def test_a_table_is_measured_beside_a_disturbed_page(tmp_path: Path) -> None:
    upgraded = upgrader.why_not() is None  # root's dpkg alone unpacks a package
    left_out = () if upgraded else ("upgraded", undisturbed.ASIDE)
    asked = tuple(kind for kind in undisturbed.KINDS if kind not in left_out)
    sizes = undisturbed.Sizes(pairs=1, seconds=0.5, scale=0.005, kinds=asked)
    rows = undisturbed.measure(tmp_path / "table", sizes)
    kinds = (
        "Page killed again and again",
        "Page stopped",
        "Page flooded",
        *(["Page upgraded"] if upgraded else []),
        "Page flooded from elsewhere",
        *(["Page upgraded aside"] if upgraded else []),
    )
    lines = [kind for kind in (*kinds, "– Page flooded") for _ in range(2)]
    assert [row.measured.partition(",")[0] for row in rows] == lines
    assert all(row.goal and row.ratio is not None and row.ratio > 0 for row in rows[:-2])
    flooded, far = (rows[2 * kinds.index(f"Page flooded{where}")] for where in ("", " from elsewhere"))
    assert flooded.ratio is not None
    assert far.ratio is not None
    assert rows[-2].ratio == pytest.approx(flooded.ratio / far.ratio)


def test_an_upgrade_is_not_measured_where_dpkg_cannot_unpack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(upgrader.UpgradeError, match="there is no dpkg on this system; name the other kinds"):
        upgrader.prepare(tmp_path, None)


@pytest.mark.skipif(upgrader.why_not() is not None, reason="needs root and dpkg")
def test_a_package_is_upgraded_twice_without_its_scripts(tmp_path: Path) -> None:
    tree, package = tmp_path / "tree", tmp_path / "some.deb"
    (tree / "DEBIAN").mkdir(parents=True)
    control = (
        "Package: some",
        "Version: 1",
        "Architecture: all",
        "Maintainer: nobody <a@b.c>",
        "Description: some",
        "",
    )
    (tree / "DEBIAN/control").write_text("\n".join(control), encoding="ascii")
    for name in ("prerm", "postrm", "postinst"):
        (tree / "DEBIAN" / name).write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
        (tree / "DEBIAN" / name).chmod(0o755)
    (tree / "opt").mkdir()
    (tree / "opt/file").write_text("a", encoding="ascii")
    subprocess.run(("dpkg-deb", "--root-owner-group", "--build", str(tree), str(package)), check=True)
    upgrade = upgrader.prepare(tmp_path / "place", package)
    file = upgrade.root / "opt/file"
    for _ in range(2):
        before = file.stat().st_ino, file.stat().st_ctime_ns

        async def again() -> int:
            return await (await upgrade.again()).wait()

        assert asyncio.run(again()) == 0
        assert (file.stat().st_ino, file.stat().st_ctime_ns) != before


@pytest.mark.skipif(upgrader.why_not() is not None, reason="needs root and dpkg")
def test_what_dpkg_does_not_unpack_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken.deb"
    broken.write_bytes(b"no package")
    with pytest.raises(upgrader.UpgradeError, match=r"broken\.deb"):
        upgrader.prepare(tmp_path / "place", broken)


@pytest.mark.timeout(600)
def test_a_keypad_is_measured_beside_a_device_that_floods(tmp_path: Path) -> None:
    rows = flooding.measure(tmp_path / "table", pairs=1, seconds=0.5)
    assert [row.measured.partition(",")[0] for row in rows] == [
        f"Beside a device that floods with {what}" for what in ("statuses", "events") for _ in range(2)
    ]
    assert all(row.goal and row.ratio is not None and row.ratio > 0 for row in rows)


def test_the_pages_that_a_commit_writes_are_counted(tmp_path: Path) -> None:
    played = rounds.play(rounds.books(), rounds.HOLDEM, WARMING + 1).rounds
    counted = asyncio.run(log_pages.count(tmp_path, played))
    assert counted.commits == len(played[WARMING])
    assert counted.pages["the head"] >= counted.commits
    assert counted.pages["entries, leaf"] >= counted.commits
    assert sum(many for kind, many in counted.pages.items() if "index" in kind) < counted.commits / 4
    assert counted.blocks * BLOCK_BYTES > sum(counted.pages.values()) * PAGE_BYTES
    assert f"| the head | {counted.pages['the head'] / counted.commits:.2f} |" in str(counted)


def test_a_showdown_is_measured() -> None:
    assert hands.measure(showdowns=1, repeated=1) > 0


@pytest.mark.timeout(600)
def test_wires_of_a_serial_lines_speed_are_measured(tmp_path: Path) -> None:
    rows = paced.measure(rounds.books(), tmp_path, exchanges=3)
    assert [row.measured.partition(", ")[0] for row in rows] == [
        f"Frame to lamp at {baud} baud" for baud in ("115,200", "115,200", "1,000,000", "1,000,000")
    ]
    assert all(
        row.goal and row.ratio is not None and row.ratio >= 1 for row in rows
    )  # no wire is quicker than its speed


@pytest.mark.timeout(600)
def test_a_lamp_whose_link_pauses_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device runs its errands as always; each link counts a pause from its beginning."""
    monkeypatch.setattr(lamp, "WARM_UP", 0)
    monkeypatch.setattr("firmware_bridge.link.LinkCounters", partial(LinkCounters, pauses=1, paused=0.25))
    with pytest.raises(lamp.LampBenchError, match="the link of keys paused 1 times, 250 ms"):
        lamp.measure(rounds.books(), tmp_path, exchanges=2)


@pytest.mark.parametrize(
    ("data", "pieces"),
    [(b"", []), (b"ab", [b"ab"]), (b"\0ab\0", [b"\0", b"ab\0"]), (b"\0ab\0\0cd", [b"\0", b"ab\0", b"\0", b"cd"])],
)
def test_a_wire_carries_frame_by_frame(data: bytes, pieces: list[bytes]) -> None:
    assert paced_wire.parts(data) == pieces
    assert paced_wire.seconds(115_200, 115_200) == paced_wire.BITS


def test_a_line_says_whether_its_goal_was_reached() -> None:
    lines = table([Row("a", "1 s", "2 s", 0.5, "1 s", True), Row("b", "3 s", goal="1 s", reached=False)]).splitlines()
    assert [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]] == [
        ["a", "1 s", "2 s", "0.50 ×", "1 s", "reached"],
        ["b", "3 s", "", "", "1 s", "not reached"],
    ]


def test_percentiles_are_values_that_were_measured() -> None:
    hundred = [float(value) for value in range(100, 0, -1)]
    assert Spread.of(hundred) == Spread(count=100, mean=50.5, p50=50.0, p99=99.0, worst=100.0)
    assert Spread.of([7.0]) == Spread(count=1, mean=7.0, p50=7.0, p99=7.0, worst=7.0)


@pytest.mark.parametrize(
    ("microseconds", "words"), [(3.14159, "3.14 µs"), (123.4, "123 µs"), (4560.0, "4.56 ms"), (2.5e6, "2.5 s")]
)
def test_times_are_told_in_a_unit_that_fits(microseconds: float, words: str) -> None:
    assert micro(microseconds) == words


def test_the_machine_is_named(tmp_path: Path) -> None:
    assert "cores" in machine(tmp_path)
    assert "Python 3." in machine(tmp_path)


def test_the_wires_noise_has_a_line_for_each_and_a_verdict_where_the_other_package_is_here() -> None:
    rows = noise.measure(handshakes=1, messages=2, turns=2)
    assert [row.measured for row in rows] == ["Noise handshake, both ends", "Noise message, encrypted and decrypted"]
    compared = noise.other_package() is not None
    assert [row.reached is not None for row in rows] == [compared, compared]
