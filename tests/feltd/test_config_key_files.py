"""Keys in files: what is a key, and that no message ever shows one."""

from pathlib import Path

import pytest

from feltd.table.config.key_files import KeyFile, KeyFileError, read_key

KEY = bytes(range(32))


@pytest.mark.parametrize("content", [KEY, KEY.hex().encode(), KEY.hex().upper().encode() + b"\n"])
def test_a_key_is_32_bytes_or_64_digits(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.key"
    file.write_bytes(content)
    assert read_key(file) == KEY


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "wrong length: 0 bytes"),
        (KEY[:31], "wrong length: 31 bytes"),
        (b"secret" * 10 + b"zzzz", "not all hexadecimal digits"),
        (b"\xff" * 64, "not all hexadecimal digits"),
    ],
)
def test_what_is_no_key_is_refused_without_showing_it(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "a.key"
    file.write_bytes(content)
    with pytest.raises(KeyFileError, match=told) as caught:
        read_key(file)
    assert "secret" not in str(caught.value)


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"a\.key: no such key file; feltd device key NAME makes that of a device"):
        read_key(tmp_path / "a.key")
    with pytest.raises(KeyFileError, match="cannot be read: Is a directory"):
        read_key(tmp_path)


def test_a_key_that_the_service_may_not_read_says_whose_it_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(
        KeyFileError, match="Permission denied; let it and its folder belong to the user who runs feltd"
    ):
        read_key(tmp_path / "a.key")


def test_a_credential_is_found_where_the_service_manager_puts_it(tmp_path: Path) -> None:
    (tmp_path / "journal-key").write_bytes(KEY)
    place = KeyFile.parse("credential:journal-key", Path("/etc"))
    assert str(place) == "credential:journal-key"
    assert place.read({"CREDENTIALS_DIRECTORY": str(tmp_path)}) == KEY
    with pytest.raises(KeyFileError, match="credential:journal-key: no credentials have been handed over"):
        place.read({})


def test_a_path_counts_from_the_folder() -> None:
    assert KeyFile.parse("a.key", Path("/etc/feltd")).locate({}) == Path("/etc/feltd/a.key")
    assert str(KeyFile.parse("/a.key", Path("/etc/feltd"))) == "/a.key"


@pytest.mark.parametrize("text", ["", "credential:", "credential:..", "credential:a/b"])
def test_what_names_no_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be the path|names no credential"):
        KeyFile.parse(text, Path("/etc"))
