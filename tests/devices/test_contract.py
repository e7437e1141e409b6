"""The import contract of the devices is an allow-list: every other room of table_fsm is forbidden by name."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ALLOWED = {"table_fsm.events", "table_fsm.felt"}


def test_devices_may_import_events_and_felt_alone() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [contract] = [one for one in contracts if one["type"] == "forbidden" and one["source_modules"] == ["devices"]]
    inside = (ROOT / "table_fsm").iterdir()
    rooms = {f"table_fsm.{path.stem}" for path in inside if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert rooms - {"table_fsm.__init__"} - ALLOWED == set(contract["forbidden_modules"]) - {"feltd"}
