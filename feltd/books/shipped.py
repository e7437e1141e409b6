"""The rulebooks, structures and the example configuration that come with feltd.

In an installed wheel they are package data in `feltd/shipped`; in a checkout they are in `config`, beside the package.
"""

from pathlib import Path

from feltd.text.errors import FeltdError

EXAMPLE_CONFIG = "table.example.toml"
MODEL_OF_TABLES = "tables.model.toml"
SHEET_OF_TABLES = "tables.example.csv"
CANNOT_COME = "cannot-come.toml"
MOST_BYTES = 1 << 20
"""Of one of these files; the longest that is shipped has a thirtieth of it."""


class ShippedFilesError(FeltdError):
    """The files that come with feltd are not where they belong, or cannot be read."""


def shipped_folder(package: Path | None = None) -> Path:
    """Return the folder with `rulebooks` and `structures`.

    Raises ShippedFilesError where there is none.
    """
    package = package or Path(__file__).resolve().parents[1]
    places = (package / "shipped", package.parent / "config")
    for place in places:
        if (place / "rulebooks").is_dir():
            return place
    raise ShippedFilesError(
        f"no rulebooks: neither {places[0]} (an installed feltd) nor {places[1]} (a checkout) has a folder "
        "`rulebooks`; install feltd again, or run it from a whole checkout"
    )


def rulebook_sources() -> dict[str, str]:
    """Every shipped rulebook's TOML text by its file name, below `rulebooks`."""
    return toml_texts(shipped_folder() / "rulebooks")


def structure_sources() -> dict[str, str]:
    """The TOML text of every shipped blind structure by its file name, below `structures`."""
    folder = shipped_folder() / "structures"
    return toml_texts(folder) if folder.is_dir() else {}


def tournament_sources() -> dict[str, str]:
    """Every shipped tournament book's TOML text by its file name, below `tournaments`."""
    return toml_texts(shipped_folder() / "tournaments")


def waiting_sources() -> dict[str, str]:
    """Every shipped book of waiting lists as TOML text by its file name, below `waiting`."""
    return toml_texts(shipped_folder() / "waiting")


def clause_sources() -> dict[str, str]:
    """Every list of a source document's clauses, by its file name, below `clauses`."""
    return toml_texts(shipped_folder() / "clauses")


def example_config() -> str:
    """The text of the example configuration. Raises ShippedFilesError."""
    return _text(shipped_folder() / EXAMPLE_CONFIG)


def model_of_tables() -> str:
    """The text of the model of which `feltd provision` makes tables. Raises ShippedFilesError."""
    return _text(shipped_folder() / MODEL_OF_TABLES)


def sheet_of_tables() -> str:
    """The text of an example of the sheet that `feltd provision` reads. Raises ShippedFilesError."""
    return _text(shipped_folder() / SHEET_OF_TABLES)


def exceptions_text() -> str:
    """The list of rows that no drill can show. Raises ShippedFilesError."""
    return _text(shipped_folder() / CANNOT_COME)


def checkout_drills(package: Path | None = None) -> Path | None:
    """The drills of a checkout; None in an installed wheel, which has none."""
    package = package or Path(__file__).resolve().parents[1]
    drills = package.parent / "tests" / "drills"
    return drills if drills.is_dir() and not (package / "shipped").is_dir() else None


def toml_texts(folder: Path) -> dict[str, str]:
    """The text of every TOML file in `folder` and below, by its relative name.

    Raises ShippedFilesError.
    """
    if not folder.is_dir():
        raise ShippedFilesError(f"{folder}: no such folder; it should hold TOML files")
    return {file.relative_to(folder).as_posix(): _text(file) for file in sorted(folder.rglob("*.toml"))}


def own_texts(own: Path | None) -> dict[str, str]:
    """The text of every TOML file in an operator's own folder and below, by its whole path; none without a folder.

    A name without its path could be a shipped book's, and take its place unsaid. Raises ShippedFilesError.
    """
    return {} if own is None else {str(own.absolute() / name): text for name, text in toml_texts(own).items()}


def _text(file: Path) -> str:
    try:
        # A pipe under such a name would hold the start up for ever, and a device fill the memory.
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            raise ShippedFilesError(
                f"{file}: cannot be read: no file, or of more than {MOST_BYTES} bytes; take it away"
            )
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        raise ShippedFilesError(f"{file}:{line}: cannot be read: this is not UTF-8; save the file as UTF-8") from fault
    except OSError as fault:
        raise ShippedFilesError(f"{file}: cannot be read: {fault}") from fault
