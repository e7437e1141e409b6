"""`feltd check` of a page's certificate, a table's or the pit's: names, end, chain, and who may read its key."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from feltd.cli import cli
from feltd.page.certificate import made
from tests import ports
from tests.feltd.others_folders_support import NOBODY
from tests.feltd.others_folders_support import ROOT as ROOT_USER

NOW = datetime.now(UTC)
NAME = "table7.casino.example"


class Signed(NamedTuple):
    """A certificate with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)


def signed(
    name: str, by: Signed | None = None, days: int = 400, use: ObjectIdentifier | None = None, begins: int = -1
) -> Signed:
    """A certificate for a host or of an authority, by another's key or its own. `days` from now, `begins` as well."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    making = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(own if by is None else by.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + timedelta(days=begins))
        .not_valid_after(NOW + timedelta(days=days, hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    )
    if use is not None:
        making = making.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
    return Signed(making.sign(key if by is None else by.key, SHA256()), key)


ROOT = signed("casino-root.example")
MIDDLE = signed("casino-pages.example", ROOT)
OURS = signed(NAME, MIDDLE)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table's file of the simulated table's kind, whose page other machines may reach."""
    (tmp_path / "seal").write_bytes(bytes(32))
    file = tmp_path / "table.toml"
    file.write_text(
        '[table]\nname = "T"\nrulebook = "tas-2018-holdem"\nseats = [1, 2]\n'
        '[journal]\npath = "table.journal"\nsealing_key_file = "seal"\n'
        f'[page]\nhost = "0.0.0.0"\nport = {ports.free_port()}\n'
    )
    return file


def put(file: Path, pem: bytes, own: Signed = OURS, mode: int = 0o640) -> None:
    """Give a file's page a certificate with its key."""
    (file.parent / "page.pem").write_bytes(pem)
    key = file.parent / "page.key"
    key.write_bytes(own.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    key.chmod(mode)
    with file.open("a") as more:
        more.write('certificate = "page.pem"\ncertificate_key = "page.key"\n')


def told(file: Path) -> Result:
    """What the check says."""
    return CliRunner().invoke(cli, ["check", str(file)])


def notes(file: Path) -> list[str]:
    """What it notes of the certificate. Nothing keeps the page from it."""
    result = told(file)
    assert "page.certificate" not in result.stdout
    return [line for line in result.stderr.splitlines() if "certificate: " in line]


def test_a_sound_certificate_is_named_with_its_hosts_its_end_and_whom_browsers_must_know(file: Path) -> None:
    put(file, OURS.pem + MIDDLE.pem)
    [said] = notes(file)
    assert said == (
        f"note: [page] certificate: {file.parent}/page.pem is for {NAME}, until "
        f'{OURS.certificate.not_valid_after_utc:%Y-%m-%d}; browsers must know "casino-root.example"'
    )


def test_the_pits_certificate_is_looked_at_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    file = tmp_path / "pit.toml"
    file.write_text(f'[pit]\nfloor = "floord"\nfolder = "own"\nport = {ports.free_port()}\n')
    put(file, OURS.pem + ROOT.pem, mode=0o644)
    first, chain, key = notes(file)
    assert first.startswith(f"note: [pit] certificate: {tmp_path}/page.pem is for {NAME}, until ")
    assert "its chain breaks" in chain
    assert "everybody on this machine may read" in key


@pytest.mark.parametrize(
    ("pem", "said"),
    [
        (OURS.pem + ROOT.pem, 'its chain breaks: "casino-root.example", the next one in'),
        (OURS.pem + MIDDLE.pem + OURS.pem, f'its chain breaks: "{NAME}", the next one in'),
    ],
)
def test_a_chain_that_is_not_whole_is_named_where_it_breaks(file: Path, pem: bytes, said: str) -> None:
    put(file, pem)
    assert any(said in one for one in notes(file))


def test_what_a_browser_will_not_take_or_not_for_long_is_told(file: Path) -> None:
    client = signed(NAME, MIDDLE, days=3, use=ExtendedKeyUsageOID.CLIENT_AUTH)
    put(file, client.pem + MIDDLE.pem, client)
    said = notes(file)
    assert any("it ends in 3 days: have the next one ready" in one for one in said)
    assert any("has no server authentication: no browser takes it" in one for one in said)
    later = signed(NAME, begins=10)
    (file.parent / "page.pem").write_bytes(later.pem)
    (file.parent / "page.key").write_bytes(later.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert any("by this machine's clock: no browser trusts it before" in one for one in notes(file))


def test_who_signed_it_and_ends_before_it_is_told(file: Path) -> None:
    short = signed("short.example", days=40)
    own = signed(NAME, short, days=400)
    put(file, own.pem + short.pem, own)
    assert any('"short.example", who signed it, ends before it' in one for one in notes(file))


@pytest.mark.parametrize(
    ("mode", "said"),
    [(0o644, "everybody on this machine may read"), (0o660, "others than its owner may write"), (0o600, None)],
)
def test_a_key_that_others_reach_is_told(file: Path, mode: int, said: str | None) -> None:
    put(file, OURS.pem + MIDDLE.pem, mode=mode)
    assert [one for one in notes(file) if said and said in one] == notes(file)[1:]
    assert len(notes(file)) == (1 if said is None else 2)


def test_what_leaves_the_page_to_this_machine_alone_is_a_problem_at_its_line(file: Path) -> None:
    over = signed(NAME, MIDDLE, days=-1, begins=-9)
    put(file, over.pem + MIDDLE.pem, over)
    assert f"{file}:11: page.certificate: {file.parent}/page.pem: the certificate ran out on" in told(file).stdout
    put_key = file.parent / "page.key"
    put_key.write_bytes(ROOT.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert "not the key of the certificate in" in told(file).stdout
    file.write_text(file.read_text().replace('certificate_key = "page.key"\n', ""))
    assert "page: give both, certificate and certificate_key, or neither" in told(file).stdout


def test_of_feltds_own_the_fingerprint_is_told_and_where_there_is_none_that_it_will_be_made(file: Path) -> None:
    assert notes(file) == [
        "note: [page] certificate: feltd makes its own at the page's next start, which browsers ask about once"
    ]
    own = made(file.parent, ("0.0.0.0",))
    [said] = notes(file)
    assert f"until {own.ends:%Y-%m-%d}; compare its SHA-256 once in each browser: {own.fingerprint}" in said


def test_of_the_pits_own_it_is_told_too(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    file = tmp_path / "pit.toml"
    file.write_text(f'[pit]\nfloor = "floord"\nfolder = "own"\nhost = "0.0.0.0"\nport = {ports.free_port()}\n')
    assert "note: [pit] certificate: feltd makes its own at the page's next start" in told(file).stderr


def test_on_loopback_and_behind_a_proxys_socket_none_is_asked_for(file: Path) -> None:
    text = file.read_text()
    file.write_text(text.replace("0.0.0.0", "127.0.0.1"))
    assert notes(file) == []
    (file.parent / "socket").mkdir()
    file.write_text(text.split("[page]")[0] + '[page]\nsocket = "socket/page"\naddress = "https://t.example"\n')
    assert notes(file) == []


@pytest.fixture
def open_room(file: Path) -> Iterator[Path]:
    """The table's file in a folder that every user can reach, unlike pytest's own. What is checked is loaded by now."""
    told(file)
    with tempfile.TemporaryDirectory(prefix="feltd-") as room:
        moved = Path(shutil.copytree(file.parent, Path(room) / "board"))
        for folder in (Path(room), moved):
            folder.chmod(0o755)
        yield moved / "table.toml"


@contextmanager
def not_as_root() -> Iterator[None]:
    """Nobody in particular, for whom modes count."""
    root = os.geteuid() == ROOT_USER
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(ROOT_USER)


def test_one_that_this_user_may_not_read_is_no_problem_of_the_table(open_room: Path) -> None:
    put(open_room, OURS.pem + MIDDLE.pem, mode=0)
    with not_as_root():
        [said] = notes(open_room)
    assert f"may not read {open_room.parent}/page.key; look as the page's user" in said


def test_a_page_folder_that_this_user_may_not_enter_is_not_taken_for_an_empty_one(open_room: Path) -> None:
    own = open_room.parent / "page"
    own.mkdir()
    made(own, ("0.0.0.0",))
    own.chmod(0)
    with not_as_root():
        [said] = notes(open_room)
    own.chmod(0o700)
    assert f"may not read {own}/page-certificate.pem" in said


@pytest.mark.skipif(os.geteuid() != ROOT_USER, reason="only root becomes another user")
def test_root_looks_as_the_user_of_the_pages_folder_who_may_not_read_it(open_room: Path) -> None:
    put(open_room, OURS.pem + MIDDLE.pem)
    assert len(notes(open_room)) == 1
    own = open_room.parent / "own"
    own.mkdir()
    os.chown(own, NOBODY, NOBODY)
    with open_room.open("a") as more:
        more.write('folder = "own"\n')
    [said] = notes(open_room)
    assert f"may not read {open_room.parent}/page.key; look as the page's user, or as root (sudo feltd check …)" in said
    open_room.write_text(open_room.read_text().split("certificate =")[0] + 'folder = "own/later"\n')
    [later] = notes(open_room)
    assert "feltd makes its own at the page's next start" in later
