"""The version of feltd that runs, as its installation says."""

import sys
from functools import cache
from pathlib import Path

_BEGINS = "Version: "


@cache
def version_of_feltd() -> str:
    """Return what stands in the metadata of feltd's installation, the first one on the path.

    `importlib.metadata` reads it with the parser of e-mails: 1.2 MiB of modules in the table's process, for one line.
    It is asked where feltd lies in no plain folder. Raises its PackageNotFoundError where feltd is not installed.
    """
    for folder in sys.path:
        for metadata in Path(folder).glob("feltd-*.dist-info/METADATA"):
            for line in metadata.read_text("utf-8").splitlines():
                if line.startswith(_BEGINS):
                    return line.removeprefix(_BEGINS).strip()
    from importlib.metadata import version

    return version("feltd")
