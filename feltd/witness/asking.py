"""Asking a witness for the heads that it has of a table. Blocks."""

import socket
import ssl
from pathlib import Path
from typing import Final

from feltd.record.signed_heads import Heads, heads_in
from feltd.text.errors import JournalCorrupt
from feltd.witness.errors import WitnessAwayError, WitnessError, WitnessRefusedError
from feltd.witness.wire import GREETING, LONGEST, Address

ANSWER_WITHIN: Final = 30.0
MOST: Final = 1 << 30
"""Bytes of a file of heads: thirty years of play."""


def client_context(witness: Address, authority: Path | None) -> ssl.SSLContext | None:
    """TLS towards a witness, None for plain TCP. `authority`: PEM; None for the machine's own. Raises WitnessError."""
    if not witness.tls:
        return None
    try:
        context = ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as fault:
        raise WitnessError(f"cannot be used: {fault.strerror or fault}", str(authority), "Give a PEM file") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS of a witness. Raises WitnessError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as fault:
        what = f"cannot be used with the key {key}: {fault.strerror or fault}"
        raise WitnessError(what, str(certificate), "Give a certificate and its key, PEM each") from None
    return context


def heads_of(witness: Address, context: ssl.SSLContext | None) -> Heads:
    """The heads that a witness has of `witness.table`, each signature checked.

    Raises WitnessAwayError, WitnessRefusedError, WitnessError where what it gives is no file of heads.
    """
    try:
        with socket.create_connection((witness.host, witness.port), ANSWER_WITHIN) as plain:
            if context is None:
                content = _given(plain, witness)
            else:
                with context.wrap_socket(plain, server_hostname=witness.host) as sealed:
                    content = _given(sealed, witness)
    except ssl.SSLCertVerificationError as fault:
        what = f"its certificate is not good: {fault.verify_message}"
        remedy = "Give the certificate of who signed it (--witness-authority)"
        raise WitnessAwayError(what, str(witness), remedy) from None
    except OSError as fault:
        what = f"is not reached: {fault.strerror or str(fault) or type(fault).__name__}"
        raise WitnessAwayError(what, str(witness), "See that it runs and the network leads there") from None
    try:
        return heads_in(content, f"{witness}/{witness.table}")
    except JournalCorrupt as fault:
        raise WitnessError(fault.what, str(witness), "See `feltd witness status` there") from None


def _given(line: socket.socket, witness: Address) -> bytes:
    line.sendall(f"{GREETING} give {witness.table}\n".encode())
    with line.makefile("rb") as answers:
        answer = answers.readline(LONGEST).decode("ascii", "replace").rstrip("\n")
        word, _, rest = answer.partition(" ")
        if word == "refused":
            raise WitnessRefusedError(rest, str(witness), "See which tables it has: `feltd witness status` there")
        if word != "size" or not rest.isdecimal() or len(rest) > 10 or int(rest) > MOST:
            raise WitnessError(f"answers something else: {answer[:80]}", str(witness), "See that it is a witness")
        content = answers.read(int(rest))
        if len(content) != int(rest):
            raise WitnessAwayError("ended before it had told all", str(witness), "Ask again")
        return content
