"""What `make house` measures, on made-up packages, and the walk through the daemon."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import table_fsm
from firmware_bridge.checks import cut
from tests.house import exposure, graph, report, walks
from tests.house.__main__ import main, measured
from tests.house.imports import imports_of
from tests.house.naming import product_of
from tests.house.rooms import Plan, plan_of_files, plan_of_rooms
from tests.house.sources import sources_of
from tests.house.trees import HouseError, Tree

ROOT = Path(__file__).parents[1]
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from table_fsm.{0} import x\n"
LATE = "def late() -> None:\n    from table_fsm import {0}\n"


def made(root: Path, files: Mapping[str, str], package: str = "table_fsm") -> Tree:
    """A tree with one package of these files; every folder is a package."""
    for name, text in files.items():
        file = root / package / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for folder in {path.parent for path in (root / package).rglob("*.py")} | {root / package}:
        (folder / "__init__.py").touch()
    return Tree(root)


def rooms(root: Path, files: Mapping[str, str]) -> Plan:
    tree = made(root, files)
    return plan_of_rooms(imports_of(tree), "table_fsm")


# -- rooms


def test_a_ring_of_three_is_found_and_named(tmp_path: Path) -> None:
    plan = rooms(
        tmp_path,
        {
            "a.py": "from table_fsm import b",
            "b.py": "import table_fsm.c",
            "c.py": "from .a import x",
            "d.py": "from table_fsm import a",
        },
    )
    assert plan.rings == [["a", "b", "c"]]
    assert (plan.nodes, plan.arrows) == (4, 4)
    assert len(plan.back_up.arrows) == 1  # any of the three would do
    assert plan.back_up.fewest


def test_floors_are_those_of_the_longest_way_down(tmp_path: Path) -> None:
    plan = rooms(
        tmp_path,
        {
            "top.py": "from table_fsm import middle, bottom",
            "middle.py": "from table_fsm import bottom",
            "bottom.py": "",
            "alone.py": "",
        },
    )
    assert plan.floors == 3
    assert plan.rings == []
    assert plan.back_up == graph.BackUp((), fewest=True)


def test_a_ring_is_one_floor(tmp_path: Path) -> None:
    files = {
        "top.py": "from table_fsm import a",
        "a.py": "from table_fsm import b",
        "b.py": "from table_fsm import a, c",
    }
    assert rooms(tmp_path, {**files, "c.py": ""}).floors == 3


def test_an_import_within_a_function_counts(tmp_path: Path) -> None:
    plan = rooms(tmp_path, {"a.py": LATE.format("b"), "b.py": "from table_fsm import a"})
    assert plan.arrows == 2
    assert plan.rings == [["a", "b"]]


def test_an_import_for_types_alone_is_counted_apart(tmp_path: Path) -> None:
    plan = rooms(tmp_path, {"a.py": FOR_TYPES.format("b"), "b.py": "from table_fsm import a"})
    assert (plan.arrows, plan.for_types) == (1, 1)
    assert plan.rings == []
    assert plan.rings_with_types == [["a", "b"]]


def test_an_import_that_is_needed_at_run_time_too_is_not_for_types(tmp_path: Path) -> None:
    plan = rooms(tmp_path, {"a.py": FOR_TYPES.format("b") + LATE.format("b"), "b.py": ""})
    assert (plan.arrows, plan.for_types) == (1, 0)


def test_a_sub_package_is_one_room_and_the_packages_own_init_none(tmp_path: Path) -> None:
    files = {
        "play/a.py": "from table_fsm.poker.x import y\nfrom table_fsm.play.b import z",
        "play/b.py": "from table_fsm.poker import x",
        "poker/x.py": "",
        "__init__.py": "from table_fsm.play import a",
    }
    tree = made(tmp_path, files)
    imports = imports_of(tree)
    plan = plan_of_rooms(imports, "table_fsm")
    assert (plan.nodes, plan.arrows, plan.floors) == (2, 1, 2)
    inner = plan_of_rooms(imports, "table_fsm.play")
    assert (inner.nodes, inner.arrows, inner.floors) == (2, 1, 2)
    files_of_all = plan_of_files(imports, "table_fsm")
    assert (files_of_all.nodes, files_of_all.arrows, files_of_all.floors) == (6, 4, 4)
    assert tree.measured == ["table_fsm", "table_fsm.play", "table_fsm.poker"]


def test_rooms_can_be_a_ring_though_no_files_are(tmp_path: Path) -> None:
    tree = made(
        tmp_path,
        {"a/one.py": "from table_fsm.b import two", "b/two.py": "", "b/three.py": "from table_fsm.a import four"},
    )
    made(tmp_path, {"a/four.py": ""})
    imports = imports_of(tree)
    assert plan_of_rooms(imports, "table_fsm").rings == [["a", "b"]]
    assert plan_of_files(imports, "table_fsm").rings == []


def test_another_tree_is_measured_though_its_names_are_loaded_here(tmp_path: Path) -> None:
    tree = made(tmp_path, {"only.py": ""})
    assert imports_of(tree).modules == {"table_fsm", "table_fsm.only"}
    assert sys.modules["table_fsm"] is table_fsm
    assert str(tmp_path) not in sys.path


# -- graphs

NODES = "abcde"
ARROWS = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)))


def reaches(arrows: set[tuple[str, str]], start: str, end: str) -> bool:
    seen, waiting = set[str](), [start]
    while waiting:
        node = waiting.pop()
        new = {to for here, to in arrows if here == node} - seen
        seen |= new
        waiting += new
    return end in seen


@given(ARROWS)
def test_a_ring_is_what_reaches_each_other(arrows: set[tuple[str, str]]) -> None:
    ring_of = {node: ring for ring in graph.rings(graph.without_loops(NODES, arrows)) for node in ring}
    for one in NODES:
        for other in set(NODES) - {one}:
            mutual = reaches(arrows, one, other) and reaches(arrows, other, one)
            assert mutual == (other in ring_of.get(one, []))


@given(ARROWS)
def test_arrows_back_up_are_the_fewest_of_all_orders(arrows: set[tuple[str, str]]) -> None:
    small = graph.without_loops(NODES, arrows)
    fewest = min(len(graph._against(small, list(order))) for order in permutations(NODES))
    found = graph.back_up(small)
    assert (len(found.arrows), found.fewest) == (fewest, True)
    assert graph.rings(graph.without_loops(NODES, arrows - set(found.arrows))) == []
    assert len(graph._against(small, graph._good_order(small))) >= fewest


def test_of_a_large_ring_it_is_said_that_the_number_suffices() -> None:
    names = [f"n{i:02d}" for i in range(graph.EXACT_MAX + 1)]
    ring = graph.without_loops(names, list(zip(names, names[1:] + names[:1], strict=True)))
    found = graph.back_up(ring)
    assert (len(found.arrows), found.fewest) == (1, False)


def test_nothing_has_no_floors() -> None:
    assert graph.floors({}) == 0


# -- sources


def test_sources_are_counted_as_said(tmp_path: Path) -> None:
    long = "def long(a, b, *, c, d, e, f, g):  # type: ignore[no-untyped-def]\n" + "    a = 1\n" * graph.EXACT_MAX * 3
    short = 'from typing import Any\n\nNOT_ONE = "type: ignore"\n\n\ndef short(a: Any, *args: Any) -> None: ...\n'
    tree = made(tmp_path, {"long.py": long, "short.py": short})
    found = sources_of(tree.files("table_fsm"))
    assert (found.files, found.lines) == (3, 49 + 6)
    assert (found.median_file, found.short_files, found.long_files) == (6, 3, 0)
    assert (found.functions, found.median_function, found.long_functions, found.many_arguments) == (2, 25, 1, 1)
    assert found.any_per_kloc == pytest.approx(1000 * 2 / 55)
    assert found.type_ignores == 1


# -- names

NAMED = '''"""It says markers."""
# markers
from devices.markers import MarkersDriver
ROLE = "markers"
TEXT = "no markers here"
OTHER = "first_markers"
def f(x):
    """markers"""
    return x.banked == "house" or x.street.draw or x.draw or streets[1].draw
def g(core, phase):
    if phase in {"draw"} and core.rounds.phase != "draw":
        return core.banked
'''
SCRIPT = '/* markers */\nconst x = "markers"; // markers\nconst url = "http://a/b"; y("markers");\n'


def test_what_stands_in_comments_and_docstrings_is_not_named(tmp_path: Path) -> None:
    tree = made(tmp_path, {"a.py": NAMED, "b.py": "# markers\n"})
    (tmp_path / "table_fsm" / "page.js").write_text(SCRIPT, encoding="utf-8")
    assert product_of(tree).naming("markers") == {"table_fsm/a.py": 4, "table_fsm/page.js": 2}


def test_questions_of_the_game_are_counted(tmp_path: Path) -> None:
    product = product_of(made(tmp_path, {"a.py": NAMED}))
    assert product.comparing("banked") == {"table_fsm/a.py": 1}
    assert product.comparing("phase") == {"table_fsm/a.py": 2}
    assert product.asking("street", "draw") + product.asking("streets", "draw") == {"table_fsm/a.py": 2}


def test_each_irregularity_is_looked_for(tmp_path: Path) -> None:
    members = 'class Irregularity(StrEnum):\n    HOLE_EXPOSED = "hole_exposed"\n    HOLE = "hole"\n'
    uses = "rule(Irregularity.HOLE_EXPOSED)\n"
    product = product_of(made(tmp_path, {"v.py": members, "a.py": uses, "b.py": uses}))
    assert product.members("Irregularity") == ["hole_exposed", "hole"]
    figures = {figure.what: figure.value for figure in walks.edits(product) if figure.walk == 2}
    assert figures["files that name the irregularity hole_exposed"] == "3"
    assert figures["– median over every irregularity (2)"] == "2"
    assert figures["– the most (hole_exposed)"] == "3"


def test_a_closed_set_is_spelt_where_most_of_it_is(tmp_path: Path) -> None:
    product = product_of(made(tmp_path, {"all.py": "x = 'a', 'b', 'c'", "some.py": "x = 'a'"}))
    assert product.spelling(("a", "b", "c"), 2) == {"table_fsm/all.py": 3}


# -- the first walk


def test_a_move_is_a_call_in_another_file_than_the_one_before() -> None:
    calls = [exposure.Call(file, "f") for file in ("x.py", "x.py", "y.py", "x.py")]
    assert exposure.figures(calls) == {"files": ["x.py", "y.py"], "moves": 3, "calls": 4, "of_core": 0}


def test_calls_of_the_product_are_recorded_and_no_others() -> None:
    recorder = exposure.Recorder(ROOT)
    with recorder.recording():
        json.dumps({})
        graph.floors({})
        cut("a text")
    assert {call.file for call in recorder.calls} == {"firmware_bridge/checks.py"}


@pytest.mark.slow
def test_an_exposed_hole_card_is_followed_from_its_bytes_to_the_page() -> None:
    figures = walks.exposure(Tree(ROOT))
    executed = [figure for figure in figures if figure.files]
    bare, ruling_pass, to_page = (set(figure.files) for figure in executed)
    assert "table_fsm/table.py" in bare
    assert all(file.startswith("table_fsm/") for file in bare)
    assert bare < ruling_pass < to_page
    assert any(file.startswith("firmware_bridge/") for file in ruling_pass)
    assert any(file.startswith("feltd/page/") for file in to_page - ruling_pass)
    assert not any(file.startswith("devices/simulated/") for file in to_page)
    assert all((ROOT / file).is_file() for file in to_page)
    moves = [int(figure.value) for figure in figures if figure.what == "– moves between files"]
    assert all(count >= len(figure.files) for count, figure in zip(moves, executed, strict=True))


# -- the program


def test_figures_stand_beside_those_of_another_revision(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    made(tmp_path, {"a.py": "from table_fsm import b", "b.py": "from table_fsm import a"})
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "before"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    made(tmp_path, {"b.py": "", "c.py": ""})
    lines = measured(tmp_path, "HEAD").splitlines()
    row = next(line for line in lines if line.startswith("| table_fsm "))
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    sizes = ["3 → 4", "2 → 1", "2 → 3", "2 → 1"]  # files, lines, rooms, arrows
    assert cells == ["table_fsm", *sizes, "0", "1 → 2", "2 → none", "2 → none", "1 → 0"]
    assert "- table_fsm, 2 rooms: a, b" in lines
    assert any(line.startswith("- table_fsm, back up: ") for line in lines)
    with pytest.raises(HouseError, match="no-such-revision"):
        measured(tmp_path, "no-such-revision")


def test_a_package_that_is_new_or_gone_is_said_to_be(tmp_path: Path) -> None:
    before = report.measure(made(tmp_path / "before", {"a.py": ""}, "devices"))
    after = report.measure(made(tmp_path / "after", {"a.py": ""}, "toml_text"))
    rows = [line for line in report.house(after, before).splitlines() if line.startswith("| ")]
    assert [cell.strip() for cell in rows[1].split("|")[1:3]] == ["toml_text", "– → 2"]
    assert [cell.strip() for cell in rows[2].split("|")[1:3]] == ["devices", "2 → –"]


def test_a_directory_without_the_product_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["house", "--tree", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "name the root of a checkout" in capsys.readouterr().err


def test_walks_name_the_files_where_asked(tmp_path: Path) -> None:
    figures = walks.walks_of(made(tmp_path, {"a.py": NAMED}), played=False)
    assert "table_fsm/a.py: 4" in report.walks(figures, verbose=True)
    assert "table_fsm/a.py" not in report.walks(figures)
    moved = [walks.Figure(figure.walk, figure.what, "7", ()) for figure in figures]
    assert "files that name the role markers: 7 → 1" in report.walks(figures, moved)
