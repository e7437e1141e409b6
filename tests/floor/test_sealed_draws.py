"""The secrets of draws sealed to a key come back and draw on; what is damaged or in the way is refused in words."""

import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.sealed_draws import Opened, keep_draws, open_draws, seal_draws
from feltd.custody.errors import CustodyError
from feltd.floor.draws import Draws, warn_where_unsealed
from feltd.record.unseal_keys import PrivateKey, make_private_key


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["floor", *map(str, arguments)])


@pytest.fixture
def key(tmp_path: Path) -> PrivateKey:
    """The casino's pair."""
    return make_private_key(tmp_path / "key")


@pytest.fixture
def draws(tmp_path: Path) -> Draws:
    """The secrets of two tournaments."""
    (tmp_path / "draws").mkdir()
    found = Draws(tmp_path / "draws")
    for name in ("cup", "sunday-7"):
        found.keep(name, found.make())
    return found


def commitment(draws: Draws, name: str) -> str:
    """Of a tournament."""
    chain = draws.of(name)
    assert chain is not None
    return chain.commitment


def test_a_draw_goes_on_with_secrets_that_came_back(tmp_path: Path, draws: Draws, key: PrivateKey) -> None:
    file, new = tmp_path / "night.sealed", tmp_path / "new"
    new.mkdir()
    sealed = run("seal-draws", draws.folder, file, "--to", str(key.public))
    assert (sealed.exit_code, sealed.output) == (0, f"{file}: cup, sunday-7; {key.fingerprint} opens it\n")
    told = [commitment(draws, name) for name in ("cup", "sunday-7")]
    roots = [one.read_text().strip() for one in draws.folder.iterdir()]
    assert not any(root in file.read_text() for root in roots), "no secret is in the file in clear"
    assert file.stat().st_mode & 0o077 == 0
    tried = run("unseal-draws", file, "--key", tmp_path / "key")
    assert tried.output == f"cup: commitment {told[0]}\nsunday-7: commitment {told[1]}\n"
    assert run("unseal-draws", file, new, "--key", tmp_path / "key").output == tried.output
    after = Draws(new).of("cup")
    assert after is not None
    secret, before = after.next(told[0]), draws.of("cup")
    assert before is not None
    assert secret == before.next(told[0])
    assert (new / "cup.secrets").stat().st_mode & 0o077 == 0
    assert open_draws(file, key, new) == [Opened("cup", told[0], there=True), Opened("sunday-7", told[1], there=True)]


def test_nothing_is_written_over_and_nothing_of_a_damaged_file_is_written(
    tmp_path: Path, draws: Draws, key: PrivateKey
) -> None:
    file, new = tmp_path / "night.sealed", tmp_path / "new"
    new.mkdir()
    seal_draws(draws.folder, file, key.public)
    with pytest.raises(CustodyError, match="cannot be written"):
        seal_draws(draws.folder, file, key.public)
    other = Draws(new)
    other.keep("sunday-7", other.make())
    with pytest.raises(CustodyError, match="has other secrets of sunday-7"):
        open_draws(file, key, new)
    assert not (new / "cup.secrets").exists()
    with pytest.raises(CustodyError, match=f"is sealed to {key.fingerprint}"):
        open_draws(file, make_private_key(tmp_path / "another"), None)
    text = file.read_text()
    first, cup, sunday = text.splitlines()
    swapped = tmp_path / "swapped"
    swapped.write_text(f"{first}\ncup {sunday.split()[1]}\nsunday-7 {cup.split()[1]}\n")
    with pytest.raises(CustodyError, match="does not open for cup"):
        open_draws(swapped, key, None)
    for wrong in ("", f"{first}\ncup 12\n", "another file"):
        swapped.write_text(wrong)
        with pytest.raises(CustodyError, match="no sealed secrets of draws"):
            open_draws(swapped, key, None)
    with pytest.raises(CustodyError, match="cannot be read"):
        open_draws(tmp_path / "none", key, None)


def test_a_folder_without_secrets_or_with_a_damaged_one_is_named(tmp_path: Path, draws: Draws, key: PrivateKey) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(CustodyError, match="has no secrets of draws"):
        seal_draws(empty, tmp_path / "file", key.public)
    with pytest.raises(CustodyError, match="cannot be read"):
        seal_draws(tmp_path / "none", tmp_path / "file", key.public)
    file = tmp_path / "night.sealed"
    seal_draws(draws.folder, file, key.public)
    (draws.folder / "cup.secrets").write_text("5e5e")
    with pytest.raises(CustodyError, match=r"cup\.secrets does not have 64 hexadecimal digits"):
        seal_draws(draws.folder, tmp_path / "file", key.public)
    with pytest.raises(CustodyError, match=r"cup\.secrets does not have 64"):
        open_draws(file, key, draws.folder)
    assert not (tmp_path / "file").exists()
    with pytest.raises(CustodyError, match="cannot be written"):
        open_draws(file, key, tmp_path / "none")


def test_a_line_that_is_no_public_key_is_refused(tmp_path: Path, draws: Draws) -> None:
    answer = run("seal-draws", draws.folder, tmp_path / "file", "--to", "feltd-unseal-private 1 ab cd")
    assert answer.exit_code == 2
    assert "this is the private half, which must never be at the table" in " ".join(answer.output.split())


def test_a_file_that_is_of_no_tournament_is_refused_and_nothing_is_sealed(
    tmp_path: Path, draws: Draws, key: PrivateKey
) -> None:
    """With its line in the file, no tournament's secrets opened."""
    stray = draws.folder / "cup.old.secrets"
    stray.write_text((draws.folder / "cup.secrets").read_text())
    with pytest.raises(CustodyError, match=r"'cup\.old' is no id of one") as refused:
        seal_draws(draws.folder, tmp_path / "night", key.public)
    assert (refused.value.place, (tmp_path / "night").exists()) == (str(stray), False)


NOW = 1_795_748_400.0
"""2026-11-27T03:00:00Z."""


def test_a_timer_seals_what_is_new_and_keeps_the_newest_files(tmp_path: Path, draws: Draws, key: PrivateKey) -> None:
    into, line = tmp_path / "sealed", str(key.public)
    into.mkdir()
    told = keep_draws(draws.folder, into, line, 2, NOW)
    [first] = into.iterdir()
    assert re.fullmatch(r"draws-2026-11-27T030000Z-[0-9a-f]{16}\.sealed", first.name)
    assert told == f"{first}: cup, sunday-7; {key.fingerprint} opens it"
    assert keep_draws(draws.folder, into, line, 2, NOW + 3600) == f"nothing is sealed: {first.name} has all of them"
    for hours in (1, 2):
        draws.keep(f"late-{hours}", draws.make())
        assert f"late-{hours}" in keep_draws(draws.folder, into, line, 2, NOW + 3600 * hours)
    left = sorted(into.iterdir())
    assert [file.name[:24] for file in left] == ["draws-2026-11-27T040000Z", "draws-2026-11-27T050000Z"]
    opened = open_draws(left[-1], key, None)
    assert [one.tournament for one in opened] == ["cup", "late-1", "late-2", "sunday-7"]


def test_what_is_new_is_told_by_what_it_is_and_not_by_its_time(tmp_path: Path, draws: Draws, key: PrivateKey) -> None:
    """Another key, a file that was brought with its time and one of the same name stayed unsealed."""
    into, other = tmp_path / "sealed", make_private_key(tmp_path / "another")
    into.mkdir()
    keep_draws(draws.folder, into, str(key.public), 9, NOW + 9e7)
    os.utime(next(into.iterdir()), (2e9, 2e9))
    assert f"{other.fingerprint} opens it" in keep_draws(draws.folder, into, str(other.public), 9, NOW)
    draws.keep("brought", draws.make())
    os.utime(draws.folder / "brought.secrets", (1e9, 1e9))
    assert "brought, cup" in keep_draws(draws.folder, into, str(key.public), 9, NOW + 1)
    replaced = draws.make()
    replaced.write(draws.folder / "cup.secrets")
    told = keep_draws(draws.folder, into, str(key.public), 9, NOW + 2)
    assert replaced.commitment in [one.commitment for one in open_draws(Path(told.partition(":")[0]), key, None)]


@pytest.mark.parametrize("wrong", ["", "feltd sealed draws 1 00\n", "{first}\ncup 12\n", "{first}\n"])
def test_a_sealed_file_that_was_cut_off_has_nothing_of_them(
    tmp_path: Path, draws: Draws, key: PrivateKey, wrong: str
) -> None:
    into = tmp_path / "sealed"
    into.mkdir()
    keep_draws(draws.folder, into, str(key.public), 9, NOW)
    [file] = into.iterdir()
    file.write_text(wrong.format(first=file.read_text().splitlines()[0]))
    assert "opens it" in keep_draws(draws.folder, into, str(key.public), 9, NOW + 1)


def test_a_folder_that_may_not_be_read_is_no_folder_without_secrets(
    tmp_path: Path, draws: Draws, key: PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(folder: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))

    with pytest.raises(CustodyError, match="cannot be read"):
        keep_draws(draws.folder, tmp_path / "none", str(key.public), 2, NOW)
    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(CustodyError, match="cannot be read: Permission denied"):
        keep_draws(draws.folder, tmp_path, str(key.public), 2, NOW)


def test_nothing_is_sealed_without_a_key_or_without_secrets(tmp_path: Path, draws: Draws, key: PrivateKey) -> None:
    empty, into = tmp_path / "empty", tmp_path / "sealed"
    empty.mkdir()
    into.mkdir()
    assert "`seal_draws_to` of floor.toml names no public key" in keep_draws(draws.folder, into, None, 2, NOW)
    assert "there are no secrets of draws" in keep_draws(empty, into, str(key.public), 2, NOW)
    assert list(into.iterdir()) == []


def test_secrets_that_go_while_they_are_looked_at_are_told_with_the_remedy(
    tmp_path: Path, draws: Draws, key: PrivateKey
) -> None:
    (draws.folder / "gone.secrets").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CustodyError, match=re.escape("gone.secrets: cannot be read")):
        keep_draws(draws.folder, tmp_path, str(key.public), 2, NOW)


def test_the_command_takes_the_key_and_the_folder_from_the_floors_file(
    tmp_path: Path, draws: Draws, key: PrivateKey
) -> None:
    own = "".join(f'{name} = "x.pem"\n' for name in ("authority", "certificate", "key"))
    file, into = tmp_path / "floor.toml", tmp_path / "sealed"
    into.mkdir()
    file.write_text(
        f'[floor]\ndatabase = "postgresql:///floor"\n{own}draws = "draws"\nseal_draws_to = "{key.public}"\n'
    )
    sealed = run("keep-draws", into, "--config", file)
    assert (sealed.exit_code, "cup, sunday-7" in sealed.output) == (0, True)
    file.write_text(f'[floor]\ndatabase = "postgresql:///floor"\n{own}seal_draws_to = "feltd-unseal-private 1 ab cd"\n')
    refused = run("keep-draws", into, "--config", file)
    assert refused.exit_code == 1
    assert "floor.seal_draws_to" in refused.output


def test_a_line_of_the_floors_file_that_is_no_public_key_is_refused(tmp_path: Path, draws: Draws) -> None:
    with pytest.raises(CustodyError, match=re.escape("seal_draws_to of floor.toml")):
        keep_draws(draws.folder, tmp_path, "feltd-unseal-public 1 ab cd", 2, NOW)


def test_floord_warns_of_secrets_that_nobody_seals(
    tmp_path: Path, draws: Draws, key: PrivateKey, caplog: pytest.LogCaptureFixture
) -> None:
    warn_where_unsealed(None, None)
    warn_where_unsealed(draws, str(key.public))
    warn_where_unsealed(Draws(tmp_path / "none"), None)
    assert caplog.messages == []
    warn_where_unsealed(draws, None)
    assert "sealed nowhere: name a public key in floor.toml (seal_draws_to)" in caplog.messages[0]
