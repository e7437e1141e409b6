"""The example of a table's file, with everything in force that it only mentions."""

from pathlib import Path
from typing import Final

from tests.feltd.seal_support import PUBLIC

EXAMPLE: Final = Path(__file__).parents[2] / "config" / "table.example.toml"
NO_KEY: Final = "feltd-unseal-public 1 …"


def uncommented() -> str:
    """The example's text, with every commented-out section in force.

    A key that it does not give whole is one of the tests. A remark begins with two number signs.
    """
    out, inside = [], False
    for line in EXAMPLE.read_text(encoding="utf-8").splitlines():
        inside = line.startswith("# [") or (inside and line.startswith("# "))
        out.append(line.removeprefix("# ") if inside else line)
    return "\n".join(out).replace(NO_KEY, str(PUBLIC))
