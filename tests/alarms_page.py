"""`docs/alarms.md`, written from the program's table of alarms: `python -m tests.alarms_page`."""

from pathlib import Path
from typing import Final

from feltd.text.alarms import alarms_page

PAGE: Final = Path(__file__).parents[1] / "docs" / "alarms.md"

if __name__ == "__main__":
    PAGE.write_text(alarms_page(), encoding="utf-8")
