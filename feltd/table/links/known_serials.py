"""The serial numbers of the devices last in each place, kept over restarts.

A place that is bound to a serial number by the configuration refuses any other device by itself. Where it is not,
another device that has the key is taken, and this is how the staff come to know: it counts as replaced until a
technician accepts it.

The file is JSON: `{"shoe": {"serial": "S2", "before": "S1"}, …}`; `before` only while it counts.
"""

import json
import logging
import os
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

_log = logging.getLogger("feltd.devices")

_FILE: Final = "devices.json"
Serial = Annotated[str, Field(min_length=1, max_length=32)]


class _Known(BaseModel):
    model_config = ConfigDict(extra="forbid")

    serial: Serial
    before: Serial | None = None


_Sheet = TypeAdapter(dict[str, _Known])


def serials_file_of(journal: Path) -> Path:
    """The file beside a table's record."""
    return journal.with_name(_FILE)


class KnownSerials:
    """The serial numbers of one table's devices.

    A file that cannot be read or written is logged and not used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._read()

    def seen(self, device: str, serial: str) -> str | None:
        """Note a device that has come up; return the serial number of another one before it.

        None where it is the same device as the last time.
        """
        known = self._known.get(device)
        if known is not None and known.serial == serial:
            return None
        if known is None:
            self._keep(device, _Known(serial=serial))
            return None
        first = known.before or known.serial  # the last one that was accepted
        self._keep(device, _Known(serial=serial, before=None if serial == first else first))
        return known.serial

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of all devices that this table has seen."""
        return tuple(self._known)

    def is_another(self, device: str, serial: str) -> bool:
        """Whether this is another device than the last one there that was accepted, as far as any is known."""
        known = self._known.get(device)
        return known is not None and serial != (known.before or known.serial)

    def replaced(self, device: str) -> str | None:
        """The serial number of the device before, until the new one is accepted; else None."""
        known = self._known.get(device)
        return None if known is None else known.before

    def accept(self, device: str) -> None:
        """Accept the present device."""
        known = self._known.get(device)
        if known is not None and known.before is not None:
            self._keep(device, _Known(serial=known.serial))

    def _keep(self, device: str, known: _Known) -> None:
        self._known[device] = known
        rows = {name: row.model_dump(exclude_none=True) for name, row in self._known.items()}
        beside = self._path.with_name(f".{self._path.name}-new")
        try:
            with beside.open("w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self._path)
        except OSError as fault:
            _log.warning("%s: the devices' serial numbers cannot be kept: %s", self._path, fault.strerror)

    def _read(self) -> dict[str, _Known]:
        try:
            return _Sheet.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError):
            _log.warning("%s: cannot be read: the devices' serial numbers are learnt anew", self._path)
            return {}
