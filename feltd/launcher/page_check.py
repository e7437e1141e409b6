"""What a start of a table's page would lack of its certificate, and what browsers will see of it: `feltd check`."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from feltd.page.addresses import is_loopback
from feltd.page.certificate import MADE, CertificateError, given, kept
from feltd.table.check.check import Fault, Findings, check_file
from feltd.table.check.ports import user_name
from feltd.table.config.config import page_folder_of, read_text, sound_sections
from feltd.text.as_owner import as_owner_of
from toml_text.faults import Places
from toml_text.lines import locate
from toml_text.syntax import TomlSyntaxError, read_toml

SOON: Final = timedelta(days=30)
"""A certificate that ends sooner is told: somebody has to order the next one."""


def check_table(file: Path) -> Findings:
    """Check a table's file and this machine, its page's certificate too.

    Where root does it, each part is looked at as the user in whose folder it is. Raises ConfigFileError where the file
    cannot be read at all.
    """
    found = check_file(file)
    text = read_text(file)
    try:
        sound = sound_sections(read_toml(text), file.parent)
    except TomlSyntaxError:
        return found
    page = sound.page
    if page is None or page.socket is not None or sound.journal is None:
        return found
    notes: list[str] = []
    folder = page_folder_of(page, sound.journal.path)
    with as_owner_of(folder / "accounts.json"):
        faults = [*certificate_faults("page", page.certificate, page.certificate_key, notes)]
        if page.certificate is None and page.certificate_key is None and not is_loopback(page.host):
            notes.append(own_note("page", folder))
    places = Places(str(file), locate(text))
    return Findings([*found.problems, *(places.problem(*fault) for fault in faults)], [*found.notes, *notes])


def certificate_faults(section: str, file: Path | None, key: Path | None, notes: list[str]) -> Iterator[Fault]:
    """What keeps a page from a certificate of the operator's; what is worth knowing of one goes to `notes`."""
    if file is None or key is None:
        if file is not key:
            yield (section,), "give both, certificate and certificate_key, or neither"
        return
    unread = [one for one in (file, key) if _is_closed(one)]
    if unread:
        notes.append(_not_looked_at(section, unread[0]))
        return
    try:
        given(file, key)
    except CertificateError as fault:
        yield (section, "certificate"), str(fault)
        return
    notes.extend(f"[{section}] certificate: {told}" for told in _told(file, key))


def _told(file: Path, key: Path) -> Iterator[str]:
    try:
        chain = x509.load_pem_x509_certificates(file.read_bytes())
    except ValueError:  # OpenSSL, by which `given` looks, takes some that cryptography does not read
        yield f"what stands behind the first certificate in {file} is none: put each who signed it there, in PEM"
        return
    own, now = chain[0], datetime.now(UTC)
    ends, last = own.not_valid_after_utc, chain[-1]
    yield (
        f"{file} is for {', '.join(_names(own)) or 'no host'}, until {ends:%Y-%m-%d}; browsers must know "
        f'"{_name_of(last.issuer)}"'
    )
    if ends - now < SOON:
        yield f"it ends in {(ends - now).days} days: have the next one ready"
    if now < own.not_valid_before_utc:
        yield f"it begins on {own.not_valid_before_utc:%Y-%m-%d} by this machine's clock: no browser trusts it before"
    if not _is_for_servers(own):
        yield "its extended key usage has no server authentication: no browser takes it"
    for below, above in pairwise(chain):
        if not _signed_by(below, above):
            yield (
                f'its chain breaks: "{_name_of(above.subject)}", the next one in {file}, did not sign '
                f'"{_name_of(below.subject)}"; put the page\'s own first, and below each who signed it'
            )
        elif above.not_valid_after_utc < ends:
            yield f'"{_name_of(above.subject)}", who signed it, ends before it, on {above.not_valid_after_utc:%Y-%m-%d}'
    mode = key.stat().st_mode
    if mode & stat.S_IROTH:
        yield f"everybody on this machine may read {key}: chmod 640 {key}, with the page's group"
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        yield f"others than its owner may write {key}: chmod g-w,o-w {key}"


def _not_looked_at(section: str, file: Path) -> str:
    return (
        f"[{section}] certificate: not looked at, for {user_name()} may not read {file}; look as the page's user, or "
        "as root (sudo feltd check …)"
    )


def _is_closed(file: Path) -> bool:
    """Whether this user may not read it. What is not there, or is no file, is named by `given`."""
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as fault:
        return isinstance(fault, PermissionError)
    return False


def own_note(section: str, folder: Path) -> str:
    """Say of the certificate that feltd makes for a page in its folder what to compare, or that it makes one."""
    if _is_closed(folder / MADE):
        return _not_looked_at(section, folder / MADE)
    own = kept(folder)
    if own is None:
        return f"[{section}] certificate: feltd makes its own at the page's next start, which browsers ask about once"
    return (
        f"[{section}] certificate: feltd's own, until {own.ends:%Y-%m-%d}; compare its SHA-256 once in each browser: "
        f"{own.fingerprint}"
    )


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return []
    addresses = [str(one) for one in names.get_values_for_type(x509.IPAddress)]
    return [*names.get_values_for_type(x509.DNSName), *addresses]


def _name_of(name: x509.Name) -> str:
    common = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(common[0].value) if common else name.rfc4514_string()


def _is_for_servers(certificate: x509.Certificate) -> bool:
    try:
        uses = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except (x509.ExtensionNotFound, ValueError):
        return True  # a certificate without one is for everything
    return ExtendedKeyUsageOID.SERVER_AUTH in uses or ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE in uses


def _signed_by(below: x509.Certificate, above: x509.Certificate) -> bool:
    try:
        below.verify_directly_issued_by(above)
    except (ValueError, TypeError, InvalidSignature):  # of another name, by a kind of key that signs none, or wrong
        return False
    return True
