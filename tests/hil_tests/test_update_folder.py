"""A run of an update's tests goes on with what an earlier one has ended, and with nothing that it has only begun."""

from pathlib import Path

import pytest

from hil_tests.update_folder import AnotherImageError, check_same, ended, folder


def test_a_named_folder_stays_and_another_one_goes(tmp_path: Path) -> None:
    with folder(str(tmp_path / "a/kept")) as named:
        (named / "image").write_text("made", encoding="ascii")
    with folder(str(tmp_path / "a/kept")) as named:
        assert (named / "image").read_text(encoding="ascii") == "made"
    with folder(None) as new:
        assert list(new.iterdir()) == []
    assert not new.exists()


def test_what_has_ended_is_not_made_again(tmp_path: Path) -> None:
    for run in ("first", "second"):
        with ended(tmp_path / "written") as new:
            if new is not None:
                (new / "log").write_text(run, encoding="ascii")
    assert (tmp_path / "written/log").read_text(encoding="ascii") == "first"


def _begun(place: Path) -> None:
    with ended(place) as new:
        assert new is not None
        (new / "log").write_text("torn", encoding="ascii")
        raise OSError("no power")


def test_what_has_only_begun_is_made_anew(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="power"):
        _begun(tmp_path / "written")
    assert not (tmp_path / "written").exists()
    with ended(tmp_path / "written") as new:
        assert new is not None
        assert list(new.iterdir()) == []


def test_another_image_is_refused(tmp_path: Path) -> None:
    for name, text in (("kept", "a system"), ("same", "a system"), ("other", "b system")):
        (tmp_path / name).write_text(text, encoding="ascii")
    check_same(tmp_path / "kept", tmp_path / "same")
    with pytest.raises(AnotherImageError, match="name another folder"):
        check_same(tmp_path / "kept", tmp_path / "other")
