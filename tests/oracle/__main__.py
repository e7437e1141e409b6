"""`python -m tests.oracle --values 1000000`: ask at moment after moment, until so many values have been compared."""

import argparse
import asyncio
import logging
import random
import sys
import tempfile
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from unittest.mock import patch

from argon2 import PasswordHasher

from feltd.page.access import passwords
from tests.feltd.table_support import HOLDEM, UTH
from tests.oracle.asking import Findings, ask_everything, texts_about
from tests.oracle.old_sealing import sealed_by_content
from tests.oracle.worlds import Quiet, moments, worlds


async def ask(values: int, seed: int, *, old: bool, faces: bool) -> Findings:
    """Ask at moments of games of both kinds, each seed with other mistakes.

    Not `faces`: of one kind, at a table whose readers know no side of a card: games against the house need it.
    """
    findings = Findings()
    for number in count(seed):
        for book in (HOLDEM, UTH) if faces else (HOLDEM,):
            found = moments(book, number, faces=faces)
            moment = random.Random(number).choice(found)
            texts = list(texts_about(moment.hidden, moment.hidden_elsewhere(number)))
            with tempfile.TemporaryDirectory() as folder, ExitStack() as around:
                around.enter_context(Quiet())
                if old:
                    around.enter_context(sealed_by_content())
                make = around.enter_context(worlds(Path(folder), moment, number))
                await ask_everything(make, texts, findings)
            print(f"{book}, seed {number}, {len(moment.events)} events: {findings}", flush=True)
            if findings.values >= values:
                return findings
    raise AssertionError("there is always another seed")


def main() -> int:
    """Ask, print what was found, and return 1 for a leak."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--values", type=int, default=1_000_000, help="compare at least so many values")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--old", action="store_true", help="with the sealing of version 0.2, which leaks")
    parser.add_argument("--no-faces", action="store_true", help="at a table whose readers know no side of a card")
    asked = parser.parse_args()
    logging.disable(logging.ERROR)
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with patch.object(passwords, "_HASHER", quick):
        findings = asyncio.run(ask(asked.values, asked.seed, old=asked.old, faces=not asked.no_faces))
    return 1 if findings.leaks or findings.failures else 0


if __name__ == "__main__":
    sys.exit(main())
