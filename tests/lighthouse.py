"""Lighthouse's accessibility and best practice of every page: `python -m tests.lighthouse`. Its scores are those of the
pages, not of the machine. It is no part of CI: it wants Node (Debian's 20 will do) and npm's registry, once.

The program goes into a folder outside the repository. A page with less than 100 is printed with what it lacks, and the
status is 1.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from feltd.floor.streams import MemoryStreams
from feltd.page.access.roles import Role
from feltd.text.language import Language
from table_fsm.events import DeviceState, ShoeShuffled
from tests.browser.served import Served, served
from tests.browser.test_desk import made
from tests.browser.test_fit_for_all import PAGES
from tests.browser.test_pit import ELSEWHERE
from tests.floor.desk_support import House
from tests.floor.pit_support import ServedPit, served_pit
from tests.floor.waiting_support import AtDesk, waiting

VERSION: Final = "12.8.2"
"""Of npm's package `lighthouse`. Later ones want Node 22."""
CATEGORIES: Final = ("accessibility", "best-practices")
_DESK: Final = "/tournaments/tuesday"
DESK_PARTS: Final = ("draw", "tables", "hands", "clock", "places", "log")
"""Of a tournament's desk, beside the counter, with which it opens."""
_LISTS: Final = "/waiting/cash"
PIT_PAGES: Final = (
    "/", "/wall", *ELSEWHERE, _DESK, *(f"{_DESK}#{part}" for part in DESK_PARTS),
    *(f"{_DESK}/{part}" for part in ("cards", "seats", "clock")), _LISTS,
    f"{_LISTS}/screen",
)  # fmt: skip
_KEPT: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "feltd" / f"lighthouse-{VERSION}"
_CHROMIUM: Final = "--headless=new --no-sandbox --user-data-dir={}"
_SECONDS: Final = 600
"""For one page, on a machine that does much else."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What Lighthouse says of a page. `scores`: percent, by category; `lacks`: each audit that took something away."""

    page: str
    scores: Mapping[str, int]
    lacks: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is lacking."""
        return all(score == 100 for score in self.scores.values())


def program(folder: Path) -> Path:
    """Return the command of Lighthouse, which is fetched where it is not there yet."""
    command = folder / "node_modules" / ".bin" / "lighthouse"
    if not command.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fetch = ["npm", "install", "--prefix", str(folder), "--ignore-scripts", "--no-fund", f"lighthouse@{VERSION}"]
        subprocess.run(fetch, check=True, stdout=sys.stderr)
    return command


def judge(command: Path, address: str, page: str, cookie: str, language: Language, folder: Path) -> Judged:
    """Have a page judged by a browser of its own, which asks for it in this language."""
    headers, told = folder / "headers.json", folder / "told.json"
    headers.write_text(json.dumps({"Cookie": cookie, "Accept-Language": language.value}), encoding="utf-8")
    told.unlink(missing_ok=True)
    # Its browser may still write into the profile when Lighthouse has ended.
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as profile:
        subprocess.run(
            [
                str(command), address + page, f"--only-categories={','.join(CATEGORIES)}", "--preset=desktop",
                "--output=json", f"--output-path={told}", f"--extra-headers={headers}", "--quiet",
                "--max-wait-for-load=30000", f"--chrome-flags={_CHROMIUM.format(profile)}",
            ],
            check=True, timeout=_SECONDS, env={**os.environ, "CHROME_PATH": _chromium()},
        )  # fmt: skip
    return judged(page, json.loads(told.read_bytes()))


def judged(page: str, told: Mapping[str, Any]) -> Judged:
    """Read Lighthouse's report. Raises ValueError where it has not come to the page that was asked for."""
    if not re.split("[?#]", told["finalDisplayedUrl"])[0].endswith(page.partition("#")[0]):
        raise ValueError(f"{page}: Lighthouse was led to {told['finalDisplayedUrl']}: it is not signed in")
    scores, lacks = {}, []
    for name in CATEGORIES:
        category = told["categories"][name]
        scores[name] = round(100 * category["score"])
        for part in category["auditRefs"]:
            audit = told["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                lacks.append(
                    " ".join((f"{audit['id']}: {audit['title']}", *map(_about, audit["details"].get("items", [])[:3])))
                )
    return Judged(page, scores, tuple(lacks))


def _about(item: Mapping[str, Any]) -> str:
    """What an audit names: a node of the page, else what the browser said, and of which address."""
    if "node" in item:
        return str(item["node"]["snippet"])
    return f"{item.get('description', '')} {item.get('sourceLocation', {}).get('url', '')}".strip()


@contextmanager
def sites(folder: Path) -> Iterator[list[tuple[Served | ServedPit, tuple[str, ...]]]]:
    """A table with alarms and rulings, and a pit with a tournament and waiting lists; the pages of each."""
    house, lists = House(), waiting(MemoryStreams())
    with (
        served(folder / "table", rounds=4) as table,
        served_pit(folder / "pit", house.directing, "short", waiting=lists) as pit,
    ):
        table.take(DeviceState, device="shoe", online=False, reason="unplugged")
        table.take(ShoeShuffled, deck="blue", count=36)
        made(pit, house, "tuesday", playing=True)
        pit.do(AtDesk(lists).opened(3))
        yield [(table, tuple(PAGES)), (pit, PIT_PAGES)]


def signed_in(site: Served | ServedPit) -> str:
    """The cookie of a director."""
    name, password = site.account(Role.DIRECTOR)
    answer = httpx.post(f"{site.address}/api/v1/session", json={"name": name, "password": password}, timeout=None)
    answer.raise_for_status()
    return "; ".join(f"{name}={value}" for name, value in answer.cookies.items())


def _chromium() -> str:
    found = shutil.which("chromium")
    if found is None:
        sys.exit("lighthouse: no chromium on this machine: apt install chromium")
    return found


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.lighthouse", description=__doc__)
    parser.add_argument("pages", nargs="*", help="these alone, as /history (all)")
    parser.add_argument("--language", type=Language, choices=tuple(Language), default=Language.ENGLISH, help="(en)")
    parser.add_argument("--program", type=Path, default=_KEPT, help=f"where Lighthouse is, or is put ({_KEPT})")
    asked = parser.parse_args()
    command = program(asked.program)
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        (folder / "table").mkdir()
        (folder / "pit").mkdir()
        with sites(folder) as open_sites:
            for site, pages in open_sites:
                cookie = signed_in(site)
                for page in pages:
                    if asked.pages and page not in asked.pages:
                        continue
                    one = judge(
                        command, site.address, page, "" if page == "/sign-in" else cookie, asked.language, folder
                    )
                    found.append(one)
                    where = "pit " if isinstance(site, ServedPit) else ""
                    print(
                        f"{where}{page}: {', '.join(f'{name} {score}' for name, score in one.scores.items())}",
                        flush=True,
                    )
                    for lack in one.lacks:
                        print(f"  {lack}", flush=True)
    sys.exit(0 if all(one.whole for one in found) else 1)


if __name__ == "__main__":
    main()
