"""What the tests reach: probes in modules, runs put together, and whether it is enough."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.probes import _Kept, _Marked
from tests.reached import ROOT, Wanted, main, report, together, wanted

MODULE = '''"""Something to reach."""


def greater(a: int, b: int) -> int:
    if a > b:
        return a
    return b


def never() -> None:
    raise AssertionError


def shape() -> None: ...
'''


def a_run(folder: Path, asks: str, module: str = MODULE) -> dict[str, list[object]]:
    """What a process reaches of the module that asks so."""
    (folder / "thing").mkdir(exist_ok=True)
    (folder / "thing" / "module.py").write_text(module, encoding="utf-8")
    program = f"""
import json, pathlib
from tests.reached import Probes, Wanted
probes = Probes(Wanted(("thing",), (r"raise AssertionError", r"\\.\\.\\.$"), 95.0), pathlib.Path({str(folder)!r}))
probes.begin()
from thing.module import greater
probes.end()
{asks}
[file] = probes.reached()["files"].values()
print(json.dumps(file))
"""
    paths = {"PYTHONPATH": f"{folder}:{ROOT}"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=paths, capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def test_lines_and_branches_are_told_apart(tmp_path: Path) -> None:
    both = a_run(tmp_path, "greater(1, 2), greater(2, 1)")
    assert both["missing_lines"] == both["missing_branches"] == []
    one = a_run(tmp_path, "greater(1, 2)")
    assert one["missing_lines"] == [6]
    assert one["missing_branches"] == [[5, 6]]
    assert 7 in one["executed_lines"]


def test_what_does_not_count_is_in_no_list(tmp_path: Path) -> None:
    none = a_run(tmp_path, "")
    listed = {*none["executed_lines"], *none["missing_lines"]}
    assert {5, 6, 7} <= listed
    assert listed & {11, 14} == set()


BELOW_312 = pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python tells of each line once by itself")


@BELOW_312
def test_a_probe_that_was_reached_is_called_no_more(tmp_path: Path) -> None:
    asks = """
import dis
def calls():
    return greater.__code__._co_code_adaptive[::2].count(dis.opmap["NOP"])
before = calls()
greater(2, 1)
assert 0 < calls() < before, (before, calls())
greater(1, 2)
assert calls() == 0, calls()
"""
    a_run(tmp_path, asks)


@BELOW_312
def test_a_line_that_stands_twice_in_the_code_is_reached_both_ways(tmp_path: Path) -> None:
    """A `finally` is copied for the way with an exception and for that without."""
    module = """
def greater(a, b):
    seen = []
    try:
        seen.append(a / b)
    finally:
        if b:
            seen.append(b)
    return seen
"""
    one = a_run(tmp_path, "greater(1, 1)", module)
    assert one["missing_branches"] == [[7, 9]]
    faulty = "import contextlib\nwith contextlib.suppress(ZeroDivisionError): greater(1, 0)"
    assert a_run(tmp_path, faulty, module)["missing_branches"] == [[7, 8]]
    both = a_run(tmp_path, f"greater(1, 1)\n{faulty}", module)
    assert both["missing_branches"] == both["missing_lines"] == []


@BELOW_312
def test_a_module_that_is_kept_with_its_probes_is_reached_as_one_that_gets_them(tmp_path: Path) -> None:
    anew = a_run(tmp_path, "greater(1, 2)")
    [file] = (tmp_path / ".reached" / "probes").iterdir()
    written = file.stat().st_mtime_ns
    assert a_run(tmp_path, "greater(1, 2)") == anew
    assert file.stat().st_mtime_ns == written


@BELOW_312
@pytest.mark.parametrize("harm", [b"", b"\xff", b"i\x01\x00\x00\x00"], ids=["empty", "no code", "something else"])
def test_a_kept_module_that_cannot_be_read_gets_probes_anew(tmp_path: Path, harm: bytes) -> None:
    anew = a_run(tmp_path, "greater(1, 2)")
    [file] = (tmp_path / ".reached" / "probes").iterdir()
    file.write_bytes(harm)
    assert a_run(tmp_path, "greater(1, 2)") == anew
    assert file.stat().st_size > len(harm)


@BELOW_312
def test_a_module_that_was_changed_gets_probes_anew(tmp_path: Path) -> None:
    assert a_run(tmp_path, "greater(1, 2)")["missing_lines"] == [6]
    changed = a_run(tmp_path, "greater(1, 2)", MODULE.replace("a > b", "a < b"))
    assert changed["missing_lines"] == [7]


def test_probes_of_another_program_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, marked = MODULE.encode(), _Marked(compile(MODULE, "module.py", "exec"), frozenset({6}), frozenset())
    kept = _Kept(tmp_path / "probes")
    kept.write(tmp_path / "module.py", source, marked)
    assert kept.read(tmp_path / "module.py", source) == marked
    monkeypatch.setattr("tests.probes._THIS", "another")
    assert kept.read(tmp_path / "module.py", source) is None


def _run_that_reached(kept: Path, name: str, lines: list[int], missing: list[int]) -> None:
    file = {"executed_lines": lines, "missing_lines": missing, "executed_branches": [], "missing_branches": []}
    told = {"meta": {"software": "slipcover", "branch_coverage": True}, "files": {"toml_text/errors.py": file}}
    (kept / name).write_text(json.dumps(told), encoding="utf-8")


def test_runs_are_put_together_and_a_file_that_none_has_loaded_counts(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    counts = Wanted(("toml_text",), (), 95.0)
    _run_that_reached(tmp_path / "kept", "one.gw0.json", [1, 2], [3])
    _run_that_reached(tmp_path / "kept", "two.alone.json", [3], [1, 2])
    files = together(["one", "two"], counts, tmp_path / "kept")["files"]
    assert {1, 2, 3} <= set(files["toml_text/errors.py"]["executed_lines"])
    assert 3 not in together(["one"], counts, tmp_path / "kept")["files"]["toml_text/errors.py"]["executed_lines"]
    others = {name: file for name, file in files.items() if name != "toml_text/errors.py"}
    assert others
    assert all(file["executed_lines"] == [] for file in others.values())


def test_a_run_is_not_another_whose_name_goes_on(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    counts = Wanted(("toml_text",), (), 95.0)
    _run_that_reached(tmp_path / "kept", "test-rest.gw0.json", [1], [2])
    with pytest.raises(FileNotFoundError, match="'test'"):
        together(["test"], counts, tmp_path / "kept")


def test_a_run_that_left_nothing_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FileNotFoundError, match="'never-run'; run it first"):
        together(["never-run"], Wanted(("toml_text",), (), 95.0), tmp_path)
    assert main(["never-run"]) == 1
    assert "never-run" in capsys.readouterr().err


@pytest.mark.parametrize(("percent", "enough"), [(94.99, False), (95.0, True)])
def test_too_little_is_told(percent: float, enough: bool) -> None:
    out = io.StringIO()
    summary = {"percent_covered": percent}
    assert report({"files": {}, "summary": summary}, 95.0, out) is enough
    assert f"{percent:.2f} % reached, 95 % wanted" in out.getvalue()


def test_each_package_of_the_product_counts() -> None:
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")} - {"tests", "hil_tests", "debian", "image"}
    assert set(wanted().source) == packages
