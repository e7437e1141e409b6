"""Versions that are called back: a signed list that a board fetches, keeps, and goes by."""

import datetime
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from feltd.cli import cli
from feltd.update.called_back import NONE, CalledBack, entries, keep, kept, made, parse
from feltd.update.errors import UpdateError

LIST = CalledBack(3, {"0.9.1": "a marker is read twice", "0.9.2": ""})
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def write_pair(folder: Path, key: Key) -> tuple[Path, Path]:
    """A certificate and its key in files."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "updates of our tables")])
    begin = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, begin + datetime.timedelta(days=7300))
    certificate, private = folder / "update.pem", folder / "update.key"
    folder.mkdir(parents=True, exist_ok=True)
    certificate.write_bytes(builder.sign(key, SHA256()).public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, private


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_pair(tmp_path_factory.mktemp("keys"), ec.generate_private_key(ec.SECP256R1()))


def test_what_one_signs_a_board_reads(pair: tuple[Path, Path]) -> None:
    assert parse(made(LIST, *pair), pair[0].read_bytes()) == LIST
    assert parse(made(CalledBack(4, {}), *pair), pair[0].read_bytes()) == CalledBack(4, {})


def test_a_key_of_rsa_signs_too(tmp_path: Path) -> None:
    pair = write_pair(tmp_path, rsa.generate_private_key(65537, 2048))
    assert parse(made(LIST, *pair), pair[0].read_bytes()) == LIST


@pytest.mark.parametrize("at", [0, 18, 25, -10])
def test_a_list_of_which_a_byte_was_changed_is_not_believed(pair: tuple[Path, Path], at: int) -> None:
    content = bytearray(made(LIST, *pair))
    content[at] ^= 1
    with pytest.raises(UpdateError, match="not signed by a key that this board believes"):
        parse(bytes(content), pair[0].read_bytes())


@pytest.mark.parametrize("content", [b"", b"signature ", b"<html>", b"\xff\xfe", b"feltd called back 3\n0.9.1\n"])
def test_what_is_no_list_is_not_believed(pair: tuple[Path, Path], content: bytes) -> None:
    with pytest.raises(UpdateError, match="not signed"):
        parse(content, pair[0].read_bytes())


def test_another_makers_list_is_not_believed(pair: tuple[Path, Path], tmp_path: Path) -> None:
    other = write_pair(tmp_path, ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(UpdateError, match="not signed"):
        parse(made(LIST, *other), pair[0].read_bytes())
    with pytest.raises(UpdateError, match="not signed"):
        made(LIST, other[0], pair[1])


def test_a_key_that_cannot_sign_is_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    odd = tmp_path / "odd.key"
    for content, words in (
        (None, "No such file"),
        (b"no key", "no key without a password"),
        (
            ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            "another kind than EC or RSA",
        ),
    ):
        if content is not None:
            odd.write_bytes(content)
        with pytest.raises(UpdateError, match=words):
            made(LIST, pair[0], odd)


def test_what_is_no_version_is_not_called_back() -> None:
    with pytest.raises(UpdateError, match=r'"0\.9" is no version'):
        entries(["0.9.1 why", "0.9"])


def test_a_version_called_back_is_refused_with_the_reason() -> None:
    with pytest.raises(UpdateError, match=r"called 0\.9\.1 back: a marker is read twice\. Wait for another version"):
        LIST.require_kept("0.9.1")
    with pytest.raises(UpdateError, match=r"called 0.9.2 back\. Wait"):
        LIST.require_kept("0.9.2")
    LIST.require_kept("0.9.3")


def test_the_newest_list_is_kept_and_an_older_one_brings_no_version_back(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    file = tmp_path / "data/update/called-back"
    assert kept(file, pair[0]) == NONE
    assert keep(made(LIST, *pair), file, pair[0]) == LIST
    with pytest.raises(UpdateError, match="has the number 2, and this board has seen 3"):
        keep(made(CalledBack(2, {}), *pair), file, pair[0])
    assert kept(file, pair[0]) == LIST
    newer = CalledBack(4, {"0.9.1": ""})
    assert keep(made(newer, *pair), file, pair[0]) == kept(file, pair[0]) == newer


def test_a_board_without_a_certificate_believes_no_list(pair: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UpdateError, match="No such file"):
        keep(made(LIST, *pair), tmp_path / "called-back", tmp_path / "update.pem")
    assert not (tmp_path / "called-back").exists()


def test_the_command_makes_the_list(pair: tuple[Path, Path], tmp_path: Path) -> None:
    into = tmp_path / "feltd.raucb.called-back"
    words = ["--number", "3", "--certificate", str(pair[0]), "--key", str(pair[1]), "--into", str(into)]
    done = CliRunner().invoke(cli, ["update", "call-back", *words, "0.9.1 a marker is read twice", "0.9.2"])
    assert done.exit_code == 0, done.output
    assert parse(into.read_bytes(), pair[0].read_bytes()) == LIST
    refused = CliRunner().invoke(cli, ["update", "call-back", *words, "newest"])
    assert (refused.exit_code, json.dumps("newest") in refused.output) == (2, True)
