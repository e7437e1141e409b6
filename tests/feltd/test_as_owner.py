"""Whose a place is, and root as its owner for as long as it works there."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.text.as_owner import PlaceError, as_owner_of, owner_of, require_own

NOBODY, UNKNOWN = 65534, 54321
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others and become them")


@pytest.fixture
def room() -> Iterator[Path]:
    """A folder of root's that everybody can reach."""
    with tempfile.TemporaryDirectory(prefix="feltd-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def folder(path: Path, owner: int, mode: int = 0o755) -> Path:
    path.mkdir()
    path.chmod(mode)
    os.chown(path, owner, owner)
    return path


def test_ones_own_folder_is_ones_own_whether_the_file_is_there_or_not(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "file", tmp_path / "no" / "such" / "file", tmp_path / ".." / tmp_path.name):
        assert owner_of(place).uid == os.geteuid()
        with as_owner_of(place):
            assert os.geteuid() == os.getuid()
        require_own(place, "a remedy that nobody needs")


@as_root
def test_the_last_folder_says_whose_a_place_is(room: Path) -> None:
    theirs = folder(room / "theirs", NOBODY)
    inner = folder(theirs / "inner", UNKNOWN)
    assert owner_of(theirs / "file").uid == NOBODY
    assert owner_of(inner / "file").uid == UNKNOWN
    assert owner_of(inner / ".." / "file").uid == NOBODY
    (room / "link").symlink_to("theirs/inner")
    assert owner_of(room / "link" / "file").uid == UNKNOWN
    assert owner_of(theirs / "not" / "there" / "yet").uid == NOBODY
    file = room / "given"
    file.touch()
    os.chown(file, NOBODY, NOBODY)
    assert owner_of(file).uid == 0


@as_root
def test_a_link_that_others_may_have_laid_is_refused(room: Path) -> None:
    theirs = folder(room / "theirs", NOBODY)
    (theirs / "link").symlink_to(room)
    (room / "given").symlink_to(theirs)
    os.chown(room / "given", NOBODY, NOBODY, follow_symlinks=False)
    for place in (theirs / "link", theirs / "link" / "file", room / "given" / "file"):
        with pytest.raises(PlaceError, match="on the way there is a link"):
            owner_of(place)


@as_root
def test_a_ring_of_links_has_an_end(room: Path) -> None:
    (room / "ring").symlink_to("ring")
    with pytest.raises(PlaceError, match="is a link"):
        owner_of(room / "ring" / "file")


@as_root
def test_roots_folder_within_that_of_others_is_nobodys_to_work_in(room: Path) -> None:
    within = folder(folder(room / "theirs", NOBODY) / "roots", 0)
    shared = folder(room / "shared", 0, 0o775)
    for place in (within / "file", shared / "file"):
        with pytest.raises(PlaceError, match="give that folder to the user"):
            owner_of(place)
    assert owner_of(folder(shared / "theirs", NOBODY) / "file").uid == NOBODY


@as_root
def test_in_a_folder_for_all_a_file_belongs_to_who_laid_it(room: Path) -> None:
    for_all = folder(room / "tmp", 0, 0o1777)
    file = for_all / "laid"
    file.touch()
    os.chown(file, NOBODY, NOBODY)
    assert owner_of(file).uid == NOBODY
    assert owner_of(for_all / "new").uid == 0
    assert owner_of(folder(for_all / "theirs", NOBODY) / "file").uid == NOBODY


@as_root
@pytest.mark.parametrize("owner", [NOBODY, UNKNOWN])
def test_root_is_the_owner_within_the_block_and_root_again_after_it(room: Path, owner: int) -> None:
    theirs = folder(room / "theirs", owner)
    before = os.getresuid(), os.getresgid(), os.getgroups()

    def work() -> None:
        with as_owner_of(theirs / "file"):
            assert (os.geteuid(), os.getegid(), os.getuid()) == (owner, owner, 0)
            assert 0 not in os.getgroups()
            (theirs / "file").touch()
            with pytest.raises(PermissionError):
                (room / "file").touch()
            with as_owner_of(room / "file"):
                assert os.geteuid() == owner
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert (theirs / "file").stat().st_uid == owner
    assert (os.getresuid(), os.getresgid(), os.getgroups()) == before


@as_root
def test_who_may_not_become_another_is_told_and_stays_root(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def barred(uid: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    theirs, before = folder(room / "theirs", NOBODY), os.getgroups()
    monkeypatch.setattr(os, "seteuid", barred)
    with pytest.raises(PlaceError, match="run it as that user"), as_owner_of(theirs / "file"):
        pytest.fail("nothing is done as root there")
    assert (os.getegid(), os.getgroups()) == (0, before)


@as_root
def test_roots_alone_is_asked_for_with_a_remedy(room: Path) -> None:
    theirs = folder(room / "theirs", NOBODY)
    require_own(room / "file", "none")
    with pytest.raises(PlaceError, match="is in a folder of nobody, and this runs as root: ask nobody"):
        require_own(theirs / "file", "ask nobody")
