"""Which failed runs get a second try, and what a run leaves for that."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kept_failures import LAST_LINES, Failure, Kept, read
from tests.second_try import MOST, Next, beside, judge, keep, main, passed_alone, second_try

ROOT = Path(__file__).parents[1]


def failed(*tests: str, when: str = "call") -> tuple[Failure, ...]:
    return tuple(Failure(test, when, (f"what {test} says",)) for test in tests)


def nothing_runs(*_: str) -> bool:
    raise AssertionError("it ran something")


SOME_TESTS = """
import os, pytest
def test_well(): pass
def test_wrong(): assert 1 == 2, "one is not two"
@pytest.mark.parametrize("word", ["a b", "c[d]"])
def test_each(word): assert word == "a b"
def test_left_out(): pytest.skip("not here")
@pytest.fixture
def broken(): yield; raise RuntimeError("cannot be put away")
def test_put_away(broken): pass
"""
DIES = """
import os
def test_well(): pass
def test_dies(): os._exit(3)
"""


@pytest.mark.parametrize(
    ("command", "kept", "follows", "words"),
    [
        (0, Kept(passed=9, exit=0), Next.GO_ON, "9 tests passed"),
        (2, Kept(failed("a"), 8, 1), Next.TRY_AGAIN, "1 of some 9 tests failed"),
        (2, Kept(failed(*map(str, range(MOST))), 8, 1), Next.TRY_AGAIN, "9 of some 17"),
        (2, Kept(failed(*map(str, range(MOST + 1))), 8, 1), Next.STOP, "10 tests failed"),
        (2, Kept((*failed("a"), *failed("a", when="teardown")), 8, 1), Next.TRY_AGAIN, "1 of some 9"),
        (2, Kept(failed("a", when="???"), 8, 1), Next.TRY_AGAIN, "1 of some 9"),
        (2, Kept(), Next.STOP, "lint, types or the setup"),
        (-9, Kept(failed("a")), Next.STOP, "ended in the middle"),
        (None, Kept(failed("a"), 8, 1), Next.STOP, "has not come to its end"),
        (2, Kept(passed=9, exit=0), Next.STOP, "what comes after them failed"),
        (2, Kept(failed("a.py", when="collect"), 0, 2), Next.STOP, "could not collect"),
        (2, Kept((*failed("a"), *failed("b.py", when="collect")), 5, 1), Next.STOP, "no test"),
        (2, Kept((), 5, 1), Next.STOP, "no test"),
        (2, Kept(failed("a"), 5, 3), Next.STOP, "pytest ended with 3"),
        (2, Kept(passed=0, exit=5), Next.STOP, "pytest ended with 5"),
        (0, Kept(failed("a"), 8, 1), Next.STOP, "the command says that all is well"),
        (0, Kept(), Next.STOP, "was not started"),
    ],
)
def test_what_follows_a_run(command: int | None, kept: Kept, follows: Next, words: str) -> None:
    judged = judge(command, kept)
    assert judged.next is follows
    assert words in judged.why


def test_a_test_that_is_skipped_alone_has_not_passed() -> None:
    assert passed_alone(0, Kept(passed=1, exit=0))
    assert not passed_alone(0, Kept(passed=0, exit=0))
    assert not passed_alone(0, Kept())
    assert not passed_alone(1, Kept(failed("a", when="teardown"), passed=1, exit=1))


def run_pytest(folder: Path, source: str, *options: str) -> Kept:
    (folder / "test_some.py").write_text(source, encoding="utf-8")
    kept = folder / "kept"
    command = [sys.executable, "-m", "pytest", "-p", "tests.kept_failures", "--keep-failures", str(kept), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they load for long
    subprocess.run([*command, "test_some.py"], cwd=folder, env=environment, check=False, capture_output=True)
    return read(kept)


SIDE_BY_SIDE = ("-p", "xdist.plugin", "-n", "2")


@pytest.mark.parametrize("options", [(), SIDE_BY_SIDE], ids=["in one process", "side by side"])
def test_a_run_keeps_each_failure_with_its_last_words_and_its_end(tmp_path: Path, options: tuple[str, ...]) -> None:
    kept = run_pytest(tmp_path, SOME_TESTS, *options)
    assert (kept.exit, kept.passed) == (1, 3)
    said = {failure.test: failure for failure in kept.failures}
    assert set(said) == {"test_some.py::test_wrong", "test_some.py::test_each[c[d]]", "test_some.py::test_put_away"}
    assert "one is not two" in "\n".join(said["test_some.py::test_wrong"].said)
    assert said["test_some.py::test_put_away"].when == "teardown"
    assert all(len(failure.said) <= LAST_LINES for failure in kept.failures)


def test_a_test_whose_process_died_is_among_the_failures_of_those_side_by_side(tmp_path: Path) -> None:
    kept = run_pytest(tmp_path, DIES, *SIDE_BY_SIDE)
    assert kept.exit == 1
    assert kept.tests == ("test_some.py::test_dies",)
    assert judge(2, kept).next is Next.TRY_AGAIN


def test_a_run_that_died_whole_has_no_end_and_gets_no_second_try(tmp_path: Path) -> None:
    kept = run_pytest(tmp_path, DIES)
    assert kept.exit is None
    assert judge(3, kept).next is Next.STOP


def test_a_file_that_cannot_be_collected_gets_no_second_try(tmp_path: Path) -> None:
    for options in ((), SIDE_BY_SIDE):
        kept = run_pytest(tmp_path, "import no_such_module_anywhere\n", *options)
        assert [failure.when for failure in kept.failures][:1] == ["collect"]
        assert judge(2, kept).next is Next.STOP


def test_a_cut_file_says_no_end_and_another_file_is_refused(tmp_path: Path) -> None:
    whole = json.dumps({"test": "a", "when": "call", "said": ["x"]}) + "\n"
    cut = tmp_path / "cut"
    cut.write_text(whole + '{"exit": 1, "pas', encoding="utf-8")
    assert read(cut) == Kept((Failure("a", "call", ("x",)),))
    cut.write_text("no such line\n", encoding="utf-8")
    with pytest.raises(ValueError, match="Expecting value"):
        read(cut)


def left(place: Path, kept: Kept, ended: int = 2) -> Path:
    """What `keep` leaves at a place."""
    lines = [{"test": one.test, "when": one.when, "said": one.said} for one in kept.failures]
    told = [*lines, {"exit": kept.exit, "passed": kept.passed}]
    beside(place, "failures").write_text("".join(f"{json.dumps(line)}\n" for line in told), encoding="utf-8")
    beside(place, "ended").write_text(f"{ended}\n", encoding="ascii")
    return place


def test_what_passes_alone_is_forgiven_and_named(tmp_path: Path) -> None:
    place, out = left(tmp_path / "tests", Kept(failed("a", "b"), 8, 1)), io.StringIO()
    asked: list[str] = []

    def passes(test: str) -> bool:
        asked.append(test)
        return True

    assert second_try(place, passes, out)
    assert asked == ["a", "b"]
    verdict = beside(place, "verdict").read_text(encoding="utf-8")
    assert "passed alone, failed beside others:\n  passed alone: a\n  passed alone: b\n" in verdict
    assert "what a says" in verdict
    assert verdict.endswith("tests: WELL\n")
    assert out.getvalue().endswith(verdict)


def test_one_that_fails_alone_too_fails_the_run(tmp_path: Path) -> None:
    place, out = left(tmp_path / "tests", Kept(failed("a", "b"), 8, 1)), io.StringIO()
    assert not second_try(place, lambda test: test == "a", out)
    assert "  passed alone: a\n  FAILED alone: b\n" in out.getvalue()
    assert out.getvalue().endswith("tests: FAILED\n")


def test_what_gets_no_second_try_runs_nothing_again_and_shows_the_first_failures(tmp_path: Path) -> None:
    many = failed(*(f"test {number:03}" for number in range(100)))
    place, out = left(tmp_path / "tests", Kept(many, 8, 1)), io.StringIO()
    assert not second_try(place, nothing_runs, out)
    assert "what test 000 says" in out.getvalue()
    assert "and 80 more" in out.getvalue()


def test_a_run_that_fails_behind_its_tests_shows_the_last_that_it_said(tmp_path: Path) -> None:
    place, out = left(tmp_path / "tests", Kept(passed=9, exit=0)), io.StringIO()
    beside(place, "output").write_text("\n".join(f"line {number}" for number in range(100)), encoding="utf-8")
    assert not second_try(place, nothing_runs, out)
    assert "the last that it said:\n   line 75\n" in out.getvalue()
    assert out.getvalue().endswith("   line 99\ntests: FAILED\n")


def test_a_place_where_nothing_ran_has_failed(tmp_path: Path) -> None:
    assert main(["judge", str(tmp_path / "nothing")]) == 1
    assert beside(tmp_path / "nothing", "verdict").read_text(encoding="utf-8").endswith("nothing: FAILED\n")


MAKEFILE = """
test:
	@echo before the tests
	@"$(PYTHON)" -m pytest test_some.py $(ALSO)
"""
SOMETIMES = """
from pathlib import Path
def test_second_time():
    seen = Path(__file__).with_name("seen")
    if not seen.exists():
        seen.touch()
        raise AssertionError("it is the first time")
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.usefixtures("capfd")
def test_a_command_of_a_makefile_is_shown_kept_judged_and_its_test_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):  # under `make test` it were a make within a make, which says more
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tests.second_try._ROOT", tmp_path)
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    (tmp_path / "test_some.py").write_text(SOMETIMES, encoding="utf-8")
    place, out = tmp_path / "a place", io.StringIO()
    beside(place, "verdict").write_text("what an earlier run said\n", encoding="utf-8")
    assert keep(place, ["make", f"PYTHON={sys.executable}", "test"], out) == 2
    shown = beside(place, "output").read_text(encoding="utf-8")
    assert shown.startswith("before the tests\n")
    assert "it is the first time" in shown
    assert out.getvalue() == shown
    assert not beside(place, "verdict").exists()

    assert main(["judge", str(place)]) == 0
    (tmp_path / "test_some.py").write_text(
        "import pytest\ndef test_second_time(): pytest.skip('gone')\n", encoding="utf-8"
    )
    assert main(["judge", str(place)]) == 1
