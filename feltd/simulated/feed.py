"""What the table says, as a dealer in the same process hears it."""

from collections.abc import Sequence
from typing import Any

from feltd.table.daemon.assembly import Daemon
from table_fsm.events import Event
from table_fsm.outputs import Output
from table_fsm.view.shapes import TableView


class OutputFeed:
    """Collects the table's outputs for a dealer in the same process."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._said: list[dict[str, Any]] = []
        daemon.on_outputs(self._hear)

    def _hear(self, _event: Event, outputs: Sequence[Output]) -> None:
        self._said += [output.to_dict() for output in outputs]

    def start_again(self) -> None:
        """Replace the collected outputs by the table's present state, for a new dealer."""
        self._said = state_as_outputs(self._daemon.keeper.table.view())

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """Return the outputs since the last call."""
        outputs, self._said = self._said, []
        return outputs


def state_as_outputs(view: TableView) -> list[dict[str, Any]]:
    """Turn a table's public state into outputs: phase, button, pending rulings, prompt."""
    outputs: list[dict[str, Any]] = [{"phase": view["phase"], "street": view["street"]}]
    outputs += [{"button": {"seat": view["button"]}}] if view["button"] is not None else []
    outputs += [{"ruling": {**ruling, "pending": True, "supersedes": None}} for ruling in view["pending"]]
    return [*outputs, {"prompt": view["prompt"]}] if view["prompt"] is not None else outputs
