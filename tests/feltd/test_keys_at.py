"""Where security keys work as a second factor, by the file and the page's certificate; `feltd check` says the same."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from pydantic import ValidationError

from feltd.table.check.second_factor import second_factor_notes
from feltd.table.config.config import Page
from feltd.table.config.security_keys import keys_at

NAME = "https://table7.casino.example"


BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def certified(*names: str, began: datetime = BEGAN, days: int = 36500, issuer_name: str = "The casino") -> bytes:
    """A certificate for these host names, signed by another's key."""
    subject, issuer = (
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("table7", issuer_name)
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(ec.generate_private_key(ec.SECP256R1()).public_key())
        .serial_number(7)
        .not_valid_before(began)
        .not_valid_after(began + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
    )
    return made.sign(ec.generate_private_key(ec.SECP256R1()), SHA256()).public_bytes(Encoding.PEM)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "table7").write_bytes(certified("TABLE7.casino.example"))
    (folder / "star").write_bytes(certified("*.casino.example"))
    (folder / "other").write_bytes(certified("pit.casino.example", "*.table7.casino.example"))
    (folder / "own").write_bytes(certified("table7.casino.example", issuer_name="table7"))
    (folder / "over").write_bytes(certified("table7.casino.example", days=9))
    (folder / "later").write_bytes(certified("table7.casino.example", began=datetime(2096, 1, 1, tzinfo=UTC)))
    (folder / "none").write_bytes(b"no certificate")
    return folder


def page(certificates: Path, certificate: str | None = None, **more: Any) -> Page:
    if certificate is not None:
        more |= {"certificate": certificates / certificate, "certificate_key": certificates / "key"}
    return Page.model_validate({"host": "10.0.0.7", "port": 443, **more})


@pytest.mark.parametrize(
    ("certificate", "more", "origin"),
    [
        ("table7", {"address": NAME}, NAME),
        ("star", {"address": f"{NAME}:8443"}, f"{NAME}:8443"),
        (None, {"address": NAME, "proxies": ["10.0.0.2"]}, NAME),
        (None, {"address": NAME, "socket": "/run/feltd-page/page.sock"}, NAME),
        (None, {"address": "http://localhost:8080", "host": "127.0.0.1"}, "http://localhost:8080"),
    ],
)
def test_they_work_at_the_address_that_browsers_trust(
    certificates: Path, certificate: str | None, more: dict[str, Any], origin: str
) -> None:
    made = page(certificates, certificate, **more)
    assert keys_at(made).origin == origin
    assert f"security keys at {origin} and nowhere else" in list(second_factor_notes("page", made))[-1]


@pytest.mark.parametrize(
    ("certificate", "doubt"),
    [
        ("own", "is signed by nobody but itself: only browsers that were given it trust it"),
        ("over", "has ended on 2026-01-10 by this machine's clock: no browser trusts it until there is a new one"),
        ("later", "begins on 2096-01-01 by this machine's clock: no browser trusts it before"),
    ],
)
def test_the_check_says_where_browsers_may_not_trust_the_certificate(
    certificates: Path, certificate: str, doubt: str
) -> None:
    made = page(certificates, certificate, address=NAME)
    assert keys_at(made).origin == NAME, "a clock that is wrong at a start takes nobody's key away"
    told = list(second_factor_notes("page", made))
    assert told[-1] == f"security keys: the certificate in {certificates / certificate} {doubt}"
    assert "security keys at" in told[-2]


def test_of_a_certificate_that_browsers_may_trust_the_check_doubts_nothing(certificates: Path) -> None:
    for made in (page(certificates, "table7", address=NAME), page(certificates, address=NAME, proxies=["10.0.0.2"])):
        assert keys_at(made).doubt == ""


@pytest.mark.parametrize(
    ("certificate", "more", "why"),
    [
        ("table7", {}, "no `address` says"),
        (None, {"address": NAME}, "feltd's own, which no browser trusts"),
        (None, {"address": NAME, "host": "127.0.0.1"}, "served without: it needs a certificate"),
        (None, {"address": NAME, "host": "localhost"}, "served without: it needs a certificate"),
        ("table7", {"address": "http://localhost"}, "write https://"),
        ("other", {"address": NAME}, "is not for table7.casino.example"),
        ("none", {"address": NAME}, "cannot be read, or names no host"),
        ("gone", {"address": NAME}, "cannot be read, or names no host"),
    ],
)
def test_where_they_do_not_the_check_says_why(
    certificates: Path, certificate: str | None, more: dict[str, Any], why: str
) -> None:
    made = page(certificates, certificate, **more)
    assert keys_at(made).origin is None
    told = list(second_factor_notes("page", made))[-1]
    assert told.startswith("second factors: codes by an app (TOTP) alone; no security keys, for ")
    assert why in told


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("table7.casino.example", "write https://NAME"),
        ("https://Table7.casino.example", "small"),
        (f"{NAME}/", "no slash after"),
        (f"{NAME}:443", "leave the port 443 out"),
        (f"{NAME}:99999", "write https://NAME"),
        ("https://10.0.0.7", "no host name"),
        ("https://[fd00::7]", "no host name"),
        ("https://anna@table7.casino.example", "write https://NAME"),
        ("https://table7..example", "write https://NAME"),
        ("http://table7.casino.example", "only localhost is trusted without"),
        ("ftp://table7.casino.example", "write https://NAME"),
        ("https://", "write https://NAME"),
    ],
)
def test_an_address_is_what_browsers_show(address: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Page.model_validate({"address": address})


def test_the_check_says_who_needs_a_second_factor(certificates: Path) -> None:
    asked = list(second_factor_notes("page", page(certificates, second_factor=["director"])))
    assert asked[0] == "[page] second_factor: director only look until they have set one up"
    assert "everybody may sign in by a password alone" in next(second_factor_notes("page", page(certificates)))
