"""A key pair of tests: it opens cards that no round showed."""

from pathlib import Path
from typing import Final

from feltd.record.unseal_keys import PrivateKey

PRIVATE: Final = PrivateKey(bytes(range(100, 132)))
PUBLIC: Final = PRIVATE.public
KEY_LINE: Final = f"feltd-unseal-private 1 {bytes(range(100, 132)).hex()} {PRIVATE.fingerprint}\n"
OTHER: Final = PrivateKey(bytes(range(32)))


def key_file(folder: Path) -> Path:
    """A file with the private half."""
    file = folder / "unseal.key"
    file.write_text(KEY_LINE, encoding="ascii")
    return file
