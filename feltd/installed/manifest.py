"""The manifest of the package: path, size and SHA-256 of each file that it installs, made when the package is built.

It is JSON, one file a line, so that two manifests can be compared line by line:

    {"feltd_manifest": 1, "version": TEXT, "architecture": TEXT, "folders": [PATH, …], "files": [
    {"path": PATH, "size": BYTES, "sha256": HEX},
    {"path": PATH, "link": TEXT},
    {"path": PATH, "size": BYTES, "sha256": HEX, "configuration": true}
    ]}

Paths are absolute, in order. `folders` are the package's own: nothing else belongs in them. A file with `configuration`
is the technician's to change. The manifest and its signature are not in it. Its **digest** is the SHA-256 of its bytes.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from feltd.text.errors import FeltdError

FORMAT: Final = 1
PLACE: Final = "share/feltd/manifest.json"
"""Below the prefix that feltd is installed in."""
SIGNATURE_PLACE: Final = "share/feltd/manifest.sig"
PREFIX: Final = "opt/feltd"
"""Of the package, below the root."""
_LONGEST: Final = 64 * 1024 * 1024
_HEX_OF_SHA256: Final = 64


class ManifestError(FeltdError):
    """A manifest, its signature or a key that cannot be read."""


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One file of the package.

    `link`: what a symbolic link says; then `size` is 0 and `sha256` empty. `configuration`: a technician may change it.
    """

    path: str
    size: int = 0
    sha256: str = ""
    link: str | None = None
    configuration: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The file as the manifest has it."""
        if self.link is not None:
            return {"path": self.path, "link": self.link}
        told = {"path": self.path, "size": self.size, "sha256": self.sha256}
        return told | {"configuration": True} if self.configuration else told


@dataclass(frozen=True, slots=True)
class Manifest:
    """The package of one version and architecture, file by file."""

    version: str
    architecture: str
    folders: tuple[str, ...]
    files: tuple[PackageFile, ...]

    def encode(self) -> bytes:
        """The bytes that are written, signed and hashed; the same for the same files."""
        head = {
            "feltd_manifest": FORMAT,
            "version": self.version,
            "architecture": self.architecture,
            "folders": self.folders,
        }
        files = ",\n".join(json.dumps(file.to_dict()) for file in sorted(self.files, key=lambda file: file.path))
        return f'{json.dumps(head)[:-1]}, "files": [\n{files}\n]}}\n'.encode()

    @classmethod
    def decode(cls, content: bytes, place: Path) -> "Manifest":
        """Read a manifest. Raises ManifestError, which names its `place`."""
        try:
            said = json.loads(content)
            if said["feltd_manifest"] != FORMAT:
                raise ManifestError(f"{place}: a manifest of form {said['feltd_manifest']!r}, which is not known here")
            return cls(
                str(said["version"]),
                str(said["architecture"]),
                tuple(_path(folder) for folder in said["folders"]),
                tuple(_file(fields) for fields in said["files"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
            raise ManifestError(
                f"{place}: is no manifest, or not whole ({type(fault).__name__}); install the package again"
            ) from None


def _path(said: Any) -> str:
    """A path that stays below whatever root it is looked for in: another machine's manifest leads nowhere else."""
    path = str(said)
    if not path.startswith("/") or not {"", ".", ".."}.isdisjoint(path[1:].split("/")) or "\0" in path:
        raise ValueError("no absolute path")
    return path


def _file(fields: dict[str, Any]) -> PackageFile:
    path = _path(fields["path"])
    if "link" in fields:
        return PackageFile(path, link=str(fields["link"]))
    sha256 = str(fields["sha256"])
    if len(bytes.fromhex(sha256)) * 2 != _HEX_OF_SHA256:
        raise ValueError("no SHA-256")
    return PackageFile(path, int(fields["size"]), sha256.lower(), configuration=fields.get("configuration") is True)


def manifest_of(
    tree: Path, version: str, architecture: str, *, folders: Iterable[str], configuration: Iterable[str]
) -> Manifest:
    """Make the manifest of everything below `tree`, the package's root while it is built.

    `folders`: the package's own; `configuration`: files that a technician changes. Paths of both are absolute. Raises
    ValueError where one of them is not in the tree.
    """
    changing = set(configuration)
    files = []
    for path in sorted(tree.rglob("*")):
        name = f"/{path.relative_to(tree).as_posix()}"
        if path.is_symlink():
            files.append(PackageFile(name, link=str(path.readlink())))
        elif path.is_file():
            content = path.read_bytes()
            files.append(PackageFile(name, len(content), hashlib.sha256(content).hexdigest(), None, name in changing))
    lacking = changing - {file.path for file in files} | {name for name in folders if not (tree / name[1:]).is_dir()}
    if lacking:
        raise ValueError(f"not in the package: {', '.join(sorted(lacking))}")
    return Manifest(version, architecture, tuple(folders), tuple(files))


def read_bytes(place: Path) -> bytes:
    """The bytes of a manifest's file. Raises ManifestError."""
    try:
        with place.open("rb") as file:
            content = file.read(_LONGEST + 1)
    except OSError as fault:
        raise ManifestError(f"{place}: cannot be read: {fault.strerror}") from None
    if len(content) > _LONGEST:
        raise ManifestError(f"{place}: is larger than any manifest; install the package again")
    return content
