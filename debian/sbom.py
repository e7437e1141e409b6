"""The package's bill of materials (SBOM): each library in it, as CycloneDX 1.6 in JSON.

Names, versions and hashes are those of `requirements.lock`, licences and dependencies those that each library states of
itself. A component has the hash of the wheel that it was installed from, where that wheel is the maker's own; one that
was built from source here has none, and the lock's hashes of all that its maker has published stand under its
`distribution`. A library's own bill (of what is compiled into it) is named, where it brings one. What Debian brings
(Python, libusb, systemd) is in the package's `Depends` and not in here.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from packaging.utils import canonicalize_name

from debian.layout import OPT
from debian.locked import EXTRAS, requirements_of

SBOM: Final = "usr/share/doc/feltd/sbom.cdx.json"
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_PIN: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]]*\])?==([^\s;\\]+)")


def bill_of_materials(
    version: str, architecture: str, epoch: int, blocks: Mapping[str, str], wheels: Iterable[str]
) -> str:
    """The document, the same for the same package.

    `epoch`: the second since 1970 that the package is of; `blocks`: the lines of the lock by name (`debian.locked`);
    `wheels`: SHA-256, hexadecimal, of the wheels that the package was installed from.
    """
    own = f"pkg:generic/feltd@{quote(version, safe='')}?arch={architecture}"
    installed = frozenset(wheels)
    purls = {name: f"pkg:pypi/{name}@{quote(_version(block), safe='')}" for name, block in blocks.items()}
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "feltd",
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": [_component(name, block, purls[name], installed) for name, block in sorted(blocks.items())],
        "dependencies": [
            {"ref": own, "dependsOn": _depends_on("feltd", purls)},
            *({"ref": purls[name], "dependsOn": _depends_on(name, purls)} for name in sorted(blocks)),
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def hashes_of_wheels(folder: Path) -> frozenset[str]:
    """SHA-256 of each wheel in a folder, hexadecimal."""
    return frozenset(hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in folder.glob("*.whl"))


def _component(name: str, block: str, purl: str, installed: frozenset[str]) -> dict[str, Any]:
    hashes = _HASH.findall(block)
    library = distribution(name)
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": _version(block),
        "purl": purl,
        "hashes": _as_hashes(one for one in hashes if one in installed),
        "licenses": licences_of(library),
        "externalReferences": [
            {
                "type": "distribution",
                "url": f"https://pypi.org/project/{name}/{_version(block)}/",
                "comment": "requirements.lock: any of these files, and no other",
                "hashes": _as_hashes(hashes),
            },
            *({"type": "bom", "url": _installed(path)} for path in _own_bills(library)),
        ],
    }
    return {key: value for key, value in made.items() if value}


def _as_hashes(values: Iterable[str]) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": value} for value in values]


def _version(block: str) -> str:
    found = _PIN.match(block)
    assert found is not None  # `locked` has found it by this
    return found[1]


def licences_of(library: Distribution) -> list[dict[str, Any]]:
    """What a library states: an SPDX expression, else the names in its classifiers, else its own words."""
    told = library.metadata
    if "License-Expression" in told:
        return [{"expression": told["License-Expression"]}]
    prefix = "License :: "
    classified = [line.rpartition(" :: ")[2] for line in told.get_all("Classifier") or () if line.startswith(prefix)]
    own_words = told["License"].splitlines()[:1] if "License" in told else []
    return [{"license": {"name": name}} for name in classified or own_words]


def _own_bills(library: Distribution) -> list[str]:
    return sorted(str(file) for file in library.files or () if re.search(r"\.dist-info/sboms/.+\.json$", str(file)))


def _installed(path: str) -> str:
    """Where the package has a file of a library."""
    return f"file:///{OPT}/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/{path}"


def _depends_on(name: str, purls: Mapping[str, str]) -> list[str]:
    names = {canonicalize_name(needed.name) for needed in requirements_of(name, EXTRAS)}
    return sorted(purls[needed] for needed in names & purls.keys())
