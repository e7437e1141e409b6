"""An update whose certificate lies outside the board's clock, as RAUC itself refuses it."""

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.hazmat.primitives.serialization.pkcs7 import PKCS7Options, PKCS7SignatureBuilder
from cryptography.x509.oid import NameOID

from feltd.update.bundles import refused_by_rauc
from feltd.update.validity import outside_of_clock

NOW: Final = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
YEAR: Final = timedelta(days=365)
OVER: Final = "signature verification failed: Verify error: certificate has expired"
EARLY: Final = "signature verification failed: Verify error: certificate is not yet valid"


def _pair(folder: Path, name: str, begins: datetime, ends: datetime) -> tuple[Path, Path]:
    """A certificate of this time and its key, as `openssl req -x509` makes them."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder().subject_name(who).issuer_name(who).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(begins).not_valid_after(ends)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256())
    )  # fmt: skip
    files = folder / f"{name}.pem", folder / f"{name}.key"
    files[0].write_bytes(made.public_bytes(Encoding.PEM))
    files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files


def test_a_certificate_that_is_over_is_told_with_its_time_and_the_clock(tmp_path: Path) -> None:
    believed, _ = _pair(tmp_path, "old", NOW - 2 * YEAR, NOW - YEAR)
    assert outside_of_clock(OVER, believed, tmp_path / "none", NOW) == (
        "its certificate is valid from 2024-11-28 12:00 UTC until 2025-11-28 12:00 UTC, and this board's clock says "
        "2026-11-28 12:00 UTC; whether its signature is right is not known before. Set the clock (chronyc tracking "
        "says what it follows) and try again. Where the clock is right, the certificate is over: its maker signs by a "
        "new one, which goes onto the card as update.pem"
    )


def test_of_one_that_is_not_yet_valid_the_clock_alone_is_to_blame(tmp_path: Path) -> None:
    believed, _ = _pair(tmp_path, "new", NOW + YEAR, NOW + 2 * YEAR)
    told = outside_of_clock(EARLY, believed, tmp_path / "none", NOW)
    assert told is not None
    assert "valid from 2027-11-28 12:00 UTC until 2028-11-27 12:00 UTC" in told
    assert told.endswith("and try again")


def test_the_time_is_that_of_the_bundles_own_certificate_where_the_believed_one_is_valid(tmp_path: Path) -> None:
    believed, _ = _pair(tmp_path, "good", NOW - YEAR, NOW + YEAR)
    old, key = _pair(tmp_path, "old", NOW - 2 * YEAR, NOW - YEAR)
    certificate = x509.load_pem_x509_certificate(old.read_bytes())
    private = _key(key)
    signature = (
        PKCS7SignatureBuilder().set_data(b"manifest").add_signer(certificate, private, hashes.SHA256())
        .sign(Encoding.DER, [PKCS7Options.Binary])
    )  # fmt: skip
    bundle = tmp_path / "update.raucb"
    bundle.write_bytes(b"squashfs" * 99 + signature + len(signature).to_bytes(8, "big"))
    assert "until 2025-11-28" in (outside_of_clock(OVER, believed, bundle, NOW) or "")
    for damaged in (b"", b"short", b"x" * 99 + (50).to_bytes(8, "big"), b"x" * 99 + (500).to_bytes(8, "big")):
        bundle.write_bytes(damaged)
        told = outside_of_clock(OVER, believed, bundle, NOW) or ""
        assert told.startswith("its certificate is not valid now: this board's clock says 2026-11-28 12:00 UTC; ")


def _key(file: Path) -> ec.EllipticCurvePrivateKey:
    key = load_pem_private_key(file.read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def test_a_stranger_is_still_a_stranger(tmp_path: Path) -> None:
    believed, _ = _pair(tmp_path, "old", NOW - 2 * YEAR, NOW - YEAR)
    said = "signature verification failed: Verify error: self-signed certificate"
    assert outside_of_clock(said, believed, tmp_path / "none", NOW) is None
    assert refused_by_rauc(said).startswith("its signature is not by a key")


TOOLS: Final = ("rauc", "mksquashfs")


@pytest.mark.parametrize(("begins", "words"), [(-2, "the certificate is over"), (1, "and try again")])
def test_rauc_itself_says_so(begins: int, words: str, tmp_path: Path) -> None:
    if lacking := [tool for tool in TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"not installed: {', '.join(lacking)} (apt install rauc squashfs-tools)")
    now = datetime.now(UTC)
    certificate, key = _pair(tmp_path, "ours", now + begins * YEAR, now + (begins + 1) * YEAR)
    content, bundle = tmp_path / "content", tmp_path / "update.raucb"
    content.mkdir()
    (content / "root.ext4").write_bytes(os.urandom(100_000))
    (content / "manifest.raucm").write_text(
        "[update]\ncompatible=feltd-amd64\nversion=0.9.0\n[bundle]\nformat=verity\n[image.rootfs]\nfilename=root.ext4\n"
    )
    (tmp_path / "system.conf").write_text(
        f"[system]\ncompatible=feltd-amd64\nbootloader=noop\n[keyring]\npath={certificate}\n"
    )
    made = ["rauc", f"--cert={certificate}", f"--key={key}", "bundle", str(content), str(bundle)]
    subprocess.run(made, check=True, capture_output=True)
    asked = ["rauc", "--conf", str(tmp_path / "system.conf"), "info", str(bundle)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    for believed in (certificate, tmp_path / "none"):
        told = outside_of_clock(done.stderr + done.stdout, believed, bundle, now)
        assert told is not None
        assert f"is valid from {now + begins * YEAR:%Y-%m-%d}" in told
        assert told.endswith((words, f"{words}: its maker signs by a new one, which goes onto the card as update.pem"))
