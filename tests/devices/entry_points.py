"""Packages with adapters, as pip would install them: their metadata and their code in a folder on the path."""

from collections.abc import Mapping
from pathlib import Path

OWN_ADAPTER = Path(__file__).parents[2] / "docs" / "own-adapter"


def install(folder: Path, package: str, points: Mapping[str, str], modules: Mapping[str, str] | None = None) -> Path:
    """A package with entry points (name → `module:object`) and the text of its modules. Gives the folder."""
    metadata = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[feltd.devices]", *lines, ""]))
    for module, text in (modules or {}).items():
        (folder / f"{module}.py").write_text(text)
    return folder


def install_own_adapter(folder: Path) -> Path:
    """The worked example of docs/own-adapter."""
    source = (OWN_ADAPTER / "ascii_shoe.py").read_text(encoding="utf-8")
    return install(folder, "feltd-ascii-shoe", {"ascii-shoe": "ascii_shoe:AsciiShoe"}, {"ascii_shoe": source})
