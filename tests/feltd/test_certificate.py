"""The page's certificate: made once, kept, made anew when it has run out; the operator's is used or refused by name."""

import datetime
import ipaddress
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from feltd.page import certificate as module
from feltd.page.certificate import MADE, MADE_KEY, CertificateError, given, made


def test_the_first_start_makes_one_for_the_names_the_page_is_reached_by_and_the_next_keeps_it(tmp_path: Path) -> None:
    first = made(tmp_path, ("192.0.2.7", "table-7.local"))
    read = x509.load_pem_x509_certificate(first.file.read_bytes())
    names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.IPAddress) == [ipaddress.ip_address("192.0.2.7")]
    assert "table-7.local" in names.get_values_for_type(x509.DNSName)
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
    assert len(first.fingerprint.split(":")) == 32
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(first.file, first.key)
    assert made(tmp_path, ("192.0.2.7",)) == first


def test_one_that_has_run_out_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VALID_FOR", datetime.timedelta(seconds=-5))
    old = made(tmp_path, ())
    monkeypatch.setattr(module, "VALID_FOR", datetime.timedelta(days=825))
    assert made(tmp_path, ()).fingerprint != old.fingerprint


def test_a_page_with_another_address_gets_one_that_is_good_for_it(tmp_path: Path) -> None:
    before = made(tmp_path, ("192.0.2.7",))
    after = made(tmp_path, ("192.0.2.8",))
    assert after.fingerprint != before.fingerprint
    assert made(tmp_path, ("192.0.2.8",)) == after


def test_a_power_cut_between_the_two_files_costs_nothing_but_a_new_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, ("192.0.2.7",))
    write = module._write

    def cut(file: Path, content: bytes, mode: int) -> None:
        if file.name == MADE:
            raise OSError(5, "the power is gone")
        write(file, content, mode)

    with monkeypatch.context() as patch:
        patch.setattr(module, "_write", cut)
        with pytest.raises(CertificateError, match="the power is gone"):
            made(tmp_path, ("192.0.2.8",))
    again = made(tmp_path, ("192.0.2.8",))
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(again.file, again.key)


def test_the_operators_own_is_used_as_it_is(tmp_path: Path) -> None:
    theirs = made(tmp_path, ("table-7.example",))
    assert given(theirs.file, theirs.key) == theirs


def test_what_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    one, other = made(tmp_path, ()), made(tmp_path / "other", ())
    with pytest.raises(CertificateError, match="not the key of the certificate"):
        given(one.file, other.key)
    with pytest.raises(CertificateError, match=r"no-such\.pem: cannot be read: No such file"):
        given(tmp_path / "no-such.pem", one.key)
    (tmp_path / "text.pem").write_text("hello")
    with pytest.raises(CertificateError, match="no certificate and its key, in PEM"):
        given(tmp_path / "text.pem", one.key)
    monkeypatch.setattr(module, "VALID_FOR", datetime.timedelta(seconds=-5))
    (tmp_path / MADE).unlink()
    old = made(tmp_path, ())
    with pytest.raises(CertificateError, match="ran out on"):
        given(old.file, old.key)


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="no certificate can be made there"):
        made(tmp_path / "none", ())
    assert not (tmp_path / MADE_KEY).exists()
