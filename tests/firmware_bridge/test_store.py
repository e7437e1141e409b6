"""A device's file of pending events outlives the death of its process at any byte."""

import os
from pathlib import Path

import pytest

from firmware_bridge.errors import StoreError
from firmware_bridge.store import FileStore, PendingEvent, _record

BOOT = b"boot.A.."


def event(n: int) -> PendingEvent:
    return PendingEvent(BOOT, n, b"message %d" % n)


def names(store: FileStore) -> list[int]:
    return [kept.seq for kept in store.load()]


def reopened(path: Path) -> list[PendingEvent]:
    store = FileStore(path)
    kept = store.load()
    store.close()
    return kept


def test_what_is_kept_and_not_forgotten_is_there_again(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    for n in range(1, 6):
        store.append(event(n))
    store.forget(2)
    store.forget(0)
    assert names(store) == [3, 4, 5]
    store.close()
    assert reopened(tmp_path / "store") == [event(3), event(4), event(5)]


def test_a_store_with_nothing_left_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = FileStore(path)
    store.append(event(1))
    store.forget(1)
    emptied = path.stat().st_size
    assert emptied < 20  # the name of the last is all that is left
    store.append(event(2))
    store.forget(1)
    assert path.stat().st_size == emptied
    store.append(event(3))
    store.close()
    assert reopened(path) == [event(3)]


def test_the_last_event_acknowledged_is_remembered_over_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = FileStore(path)
    assert store.acknowledged is None
    for number in (1, 2, 3):
        store.append(event(number))
    for count, last in ((2, 2), (1, 3)):  # the log says it, then a log begun anew
        store.forget(count)
        store.close()
        store = FileStore(path)
        assert store.acknowledged == (event(last).boot_id, last)
    store.close()


def test_a_long_log_is_made_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.store._COMPACT_ABOVE", 2000)
    path = tmp_path / "store"
    store = FileStore(path)
    for n in range(1, 400):
        store.append(event(n))
        if n > 3:
            store.forget(1)
    assert path.stat().st_size < 3000
    store.close()
    assert reopened(path) == [event(397), event(398), event(399)]


def test_cut_at_any_byte_the_store_is_what_it_was_a_record_earlier(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = FileStore(path)
    ends = {}
    for n in range(1, 5):
        store.append(event(n))
        ends[path.stat().st_size] = [event(m) for m in range(1, n + 1)]
    store.forget(1)
    store.close()
    whole = path.read_bytes()
    ends[len(whole)] = [event(2), event(3), event(4)]
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        expected = ends[max((end for end in ends if end <= length), default=0)] if length >= min(ends) else []
        store = FileStore(path)
        assert store.load() == expected
        store.append(event(9))
        store.close()
        assert reopened(path) == [*expected, event(9)]


@pytest.mark.parametrize("at", [0, 7, 12])
def test_damage_before_the_end_is_named_and_nothing_is_guessed(tmp_path: Path, at: int) -> None:
    path = tmp_path / "store"
    store = FileStore(path)
    for n in range(1, 4):
        store.append(event(n))
    store.close()
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match=r"store: damaged at byte 0"):
        FileStore(path)


def test_a_record_that_makes_no_sense_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = FileStore(path)
    store._write(_record(b"?what"))
    store.close()
    with pytest.raises(StoreError, match="damaged"):
        FileStore(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="check that its folder exists"):
        FileStore(tmp_path / "nowhere" / "store")


def test_a_full_disk_is_named_and_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    store = FileStore(path)
    store.append(event(1))
    real = store._file

    class Full:
        def write(self, data: bytes) -> int:
            return real.write(data[:5])

    store._file = Full()  # type: ignore[assignment]
    with pytest.raises(StoreError, match="the disk is full"):
        store.append(event(2))
    store._file = real
    store.append(event(2))
    assert reopened(path) == [event(1), event(2)]

    class Broken:
        def write(self, _data: bytes) -> int:
            raise OSError(5, os.strerror(5))

    store._file = Broken()  # type: ignore[assignment]
    with pytest.raises(StoreError, match="Input/output error"):
        store.append(event(3))
    store._file = real
    assert names(store) == [1, 2]
    monkeypatch.setattr(Path, "replace", lambda _self, _to: (_ for _ in ()).throw(OSError(28, os.strerror(28))))
    with pytest.raises(StoreError, match="No space left"):
        store.forget(2)
    store.close()
