"""What is printed of new tables: labels with QR codes, and the technician's list of steps. No key is in either.

A label may have the code by which its table enrols at the floor: it is good once, and ends.

Each is one file of HTML that needs nothing beside it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import segno
from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from feltd.provision.tables import Device, NewTable

LABELS: Final = "labels.html"
CHECKLIST: Final = "checklist.html"


def labels(tables: Iterable[NewTable], codes: Mapping[str, str]) -> str:
    """The sheet of labels: one for each table, whose code opens its page, and one for each device.

    `codes`: by which tables enrol at the floor, by the table's folder.
    """
    return _template(LABELS).render(tables=tables, codes=codes)


def checklist(tables: Iterable[NewTable], codes: Mapping[str, str]) -> str:
    """The list of steps, a page for each table. No code is on it: of those it says that they are on the labels."""
    return _template(CHECKLIST).render(tables=tables, codes=codes)


def code_of_device(table: NewTable, device: Device) -> str:
    """What a device's code says: the table's folder, the device's name and its serial number.

    It is for the eye of a scanner: nothing of feltd reads it.
    """
    return f"feltd table={table.folder} device={device.name} serial={device.serial or 'none'}"


def _qr(text: str) -> Markup:
    drawn = segno.make(text, error="m", micro=False).svg_inline(scale=3, border=4, omitsize=True, light="#fff")
    return Markup(drawn)  # noqa: S704 - segno's own drawing: the text is in it as squares alone


def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("feltd.provision", "templates"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(qr=_qr, code_of_device=code_of_device)
    return environment.get_template(name)
