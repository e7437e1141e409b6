"""Which disks a folder really lies on, read from a folder made like the kernel's /sys."""

from pathlib import Path

from feltd.table.host.disks import Beneath, beneath, beneath_folder
from tests.feltd.blocks_support import block, number_of


def test_a_partition_lies_on_its_disk(tmp_path: Path) -> None:
    block(tmp_path, "mmcblk0p2", "179:2", part_of="mmcblk0")
    assert beneath("179:2", tmp_path) == Beneath("mmcblk0p2", ("mmcblk0",), ())
    block(tmp_path, "sda", "8:0")
    assert beneath("8:0", tmp_path) == Beneath("sda", ("sda",), ())


def test_volumes_and_encryption_are_seen_through_to_the_card(tmp_path: Path) -> None:
    block(tmp_path, "mmcblk0p2", "179:2", part_of="mmcblk0")
    block(tmp_path, "dm-0", "253:0", on=["mmcblk0p2"], dm=["CRYPT-LUKS2-0123-data_crypt", "data_crypt"])
    block(tmp_path, "dm-1", "253:1", on=["dm-0"], dm=["LVM-abcdef", "vg-root"])
    assert beneath("253:1", tmp_path) == Beneath("dm-1", ("mmcblk0",), ("LVM", "LUKS"))


def test_each_disk_of_a_mirror_is_named(tmp_path: Path) -> None:
    for letter, number in (("a", "8:1"), ("b", "8:17")):
        block(tmp_path, f"sd{letter}1", number, part_of=f"sd{letter}")
    place = block(tmp_path, "md0", "9:0", on=["sda1", "sdb1"])
    assert beneath("9:0", tmp_path) == Beneath("md0", ("sda", "sdb"), ("another layer",))
    (place / "md").mkdir()
    assert beneath("9:0", tmp_path) == Beneath("md0", ("sda", "sdb"), ("RAID",))


def test_a_mapper_of_another_kind_and_a_file_are_layers_too(tmp_path: Path) -> None:
    block(tmp_path, "loop0", "7:0")
    block(tmp_path, "dm-0", "253:0", on=["loop0"], dm=["SOMETHING", "x"])
    found = beneath("253:0", tmp_path)
    assert found == Beneath("dm-0", ("loop0",), ("another layer", "a file of another file system"))


def test_what_is_on_no_block_device_has_none(tmp_path: Path) -> None:
    assert beneath("0:42", tmp_path) is None
    assert beneath("", tmp_path) is None
    assert beneath_folder(tmp_path / "gone", tmp_path) is None
    block(tmp_path, "vda", number_of(tmp_path))
    assert beneath_folder(tmp_path, tmp_path) == Beneath("vda", ("vda",), ())
