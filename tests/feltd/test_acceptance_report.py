"""The acceptance report: what is printed, what it amounts to, where it is kept."""

from importlib.metadata import version
from pathlib import Path

import pytest

from feltd.acceptance.report import Device, Facts, ReportError, keep, place_of, report, summary, verdict
from feltd.acceptance.run import Result, StepResult
from feltd.table.config.config import read_config

GOOD = Result("key deal_start", StepResult.PASSED, 0.21, at=0.0)
BAD = Result("lamp play: a test lights it", StepResult.FAILED, why="the lamp play is not lit", at=0.0, tries=3)
OUT = Result(
    "a step with a name that is far too long for one line of a report", StepResult.LEFT_OUT, why="no hand", at=0.0
)


def facts(**more: object) -> Facts:
    known: dict[str, object] = {
        "table": "Table 7", "config_file": Path("/etc/feltd/table.toml"), "config_hash": "ab" * 32, "mode": "guided",
        "technician": "anna", "began": 0.0, "ended": 60.0, "journal": "cd" * 16, "first_entry": 1, "last_entry": 9,
        "devices": [Device("shoe", "/dev/serial/by-id/usb-Felt_Shoe_S1042-if00-and-a-name-that-is-long", True, "S1042",
                           "1.4", "none"), Device("badge", "usb"), Device("keys", "x", False)],
    }  # fmt: skip
    return Facts(**(known | more))  # type: ignore[arg-type]


def test_everything_that_must_be_known_stands_in_it_and_fits_on_paper() -> None:
    text = report(facts(stopped="by hand", found=["x " * 60], left_undone=["ruling 3 waits"]), [GOOD, BAD, OUT])
    assert max(map(len, text.splitlines())) <= 78
    flat = " ".join(text.split())
    for words in (
        "Table 7", "Technician anna", "/etc/feltd/table.toml", "SHA-256 " + "ab" * 32, "Linux",
        f"feltd {version('feltd')}",
        "serial number S1042, firmware 1.4, not authenticated", "badge usb; not asked: nobody was signed in",
        "keys x; NOT THERE", "passed key deal_start 0.21 s", "the lamp play is not lit, at the 3rd try", "no hand",
        "3 steps: 1 passed, 1 FAILED, 1 left out", "STOPPED BEFORE ITS END (by hand)", "STILL TO DO: ruling 3 waits",
        "FOUND AT THE BEGINNING", "entries 1 to 9",
    ):  # fmt: skip
        assert words in flat, words


@pytest.mark.parametrize(
    ("results", "stopped", "words"),
    [
        ([GOOD], None, "every step passed"),
        ([GOOD, OUT], None, "nothing failed; 1 of 2 steps were left out, each with its reason"),
        ([GOOD, OUT, BAD], None, "1 of 3 steps FAILED"),
        ([GOOD], "by SIGHUP", "STOPPED BEFORE ITS END (by SIGHUP): this is no whole acceptance"),
    ],
)
def test_what_it_amounts_to(results: list[Result], stopped: str | None, words: str) -> None:
    assert verdict(results, stopped) == words
    assert summary(results).startswith(f"{len(results)} steps: 1 passed")


def test_it_is_kept_beside_the_record_for_the_records_group_and_never_written_over(tmp_path: Path) -> None:
    config = read_config(
        '[table]\nname = "Table 7, pit A"\nrulebook = "x"\nseats = [1]\n[journal]\npath = "t.journal"\n'
        'sealing_key_file = "k"\n', "t", tmp_path)  # fmt: skip
    file = place_of(config, 0.0)
    assert file.parent == tmp_path / "acceptance"
    assert file.name.startswith("Table-7-pit-A-19")
    keep("text\n", file)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("text\n", 0o640)
    with pytest.raises(ReportError, match="is there already"):
        keep("other\n", file)
    assert file.read_text() == "text\n"
    (tmp_path / "plain").touch()
    with pytest.raises(ReportError, match="cannot be kept"):
        keep("text\n", tmp_path / "plain" / "more" / "report.txt")
