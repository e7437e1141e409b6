"""docs/api.md: its examples run against a table, and it names every route there is and none besides."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from feltd.page.access.roles import Role
from tests.browser.served import served
from tests.feltd.page_support import Page

DOC = Path(__file__).parents[2] / "docs" / "api.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def routes_told() -> set[tuple[str, str]]:
    """The table "All of it": methods that stand before an address hold until the next one."""
    rows = DOC.read_text(encoding="utf-8").partition("## All of it")[2].splitlines()
    told = set()
    for row in rows:
        methods: list[str] = []
        fresh = False
        for word in re.findall(r"[A-Z]{3,}|/[\w/{}.-]+", row.split("|")[1] if row.startswith("|") else ""):
            if word[0] == "/":
                told |= {(method, word) for method in methods}
                fresh = True
            else:
                methods = [word] if fresh else [*methods, word]
                fresh = False
    return told


def test_every_route_is_told_and_none_besides(tmp_path: Path) -> None:
    import asyncio

    async def described() -> set[tuple[str, str]]:
        page = Page(tmp_path)
        paths = page.api.openapi()["paths"]
        page.close()
        return {(method.upper(), path) for path, methods in paths.items() for method in methods}

    assert routes_told() == asyncio.run(described())


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine: apt install curl")
def test_the_examples_do_what_they_say(tmp_path: Path) -> None:
    first, *examples = blocks("sh")
    assert re.fullmatch(r"TABLE=\S+\nCA=.*\nNAME=.*\n", first), "the first block is what a reader fills in"
    with served(tmp_path, rounds=4) as table:
        name, password = table.account(Role.DIRECTOR)
        script = "\n".join([f"set -eu\nTABLE={table.address} NAME={name} PASSWORD='{password}'\nCA=()", *examples])
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
        seats = table.do(lambda page: [seat["seat"] for seat in page.state()["table"]["seats"]])
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    assert 7 in seats
    assert "event: ruling\n" in done.stdout
    exported = (tmp_path / "round-1.jsonl").read_text(encoding="utf-8")
    assert exported.count("\n") > 10
    assert (tmp_path / "rounds.jsonl").stat().st_size > len(exported)
