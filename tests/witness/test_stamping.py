"""Time stamps of heads, by OpenSSL's own server of RFC 3161 behind a small HTTP server."""

import hashlib
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

import pytest

from feltd.witness.errors import WitnessAwayError, WitnessError, WitnessRefusedError
from feltd.witness.stamping import MOST, Stamper, query_of, require_about
from tests.ports import free_port
from tests.witness.witness_support import Table

OPENSSL: Final = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="the server of time stamps is OpenSSL's: apt install openssl")
CONFIGURATION: Final = """
[stamps]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = {digests}
ess_cert_id_alg = sha256
"""

Answer = Callable[[bytes], bytes]


def openssl(*words: object) -> subprocess.CompletedProcess[str]:
    assert OPENSSL is not None
    return subprocess.run([OPENSSL, *map(str, words)], capture_output=True, text=True, check=False)


class Server:
    """OpenSSL's server of time stamps, and its certificate."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.certificate = folder / "stamps.pem"
        made = openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "stamps.key", "-out", self.certificate,
            "-subj", "/CN=stamps", "-days", "2", "-addext", "extendedKeyUsage=critical,timeStamping",
        )  # fmt: skip
        assert made.returncode == 0, made.stderr

    def answer(self, query: bytes, digests: str = "sha256") -> bytes:
        configuration, asked, given = (self.folder / name for name in ("stamps.cnf", "query", "answer"))
        configuration.write_text(CONFIGURATION.format(folder=self.folder, digests=digests))
        asked.write_bytes(query)
        openssl(
            "ts", "-reply", "-config", configuration, "-section", "stamps", "-queryfile", asked, "-signer",
            self.certificate, "-inkey", self.folder / "stamps.key", "-out", given,
        )  # fmt: skip
        return given.read_bytes()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    return Server(tmp_path_factory.mktemp("stamps") / "server")


@contextmanager
def asked_at(answer: Answer) -> Iterator[str]:
    """An HTTP server with these answers, and its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            content = answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing on the test's output."""

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}/tsr"
        finally:
            listening.shutdown()
            thread.join()


def witnessed(folder: Path, *seqs: int) -> Table:
    """A table whose heads the witness of this folder has."""
    table = Table(folder)
    table.sign(*seqs)
    (folder / "7.heads").write_text(table.file.read_text())
    return table


def test_openssl_finds_each_stamp_right_and_of_no_other_head(tmp_path: Path, server: Server) -> None:
    table = witnessed(tmp_path, 3)
    with asked_at(server.answer) as address:
        stamper = Stamper(tmp_path, address)
        made = stamper.stamp("7")
        assert made == tmp_path / "7.stamps" / "3.tsr"
        assert stamper.stamp("7") is None, "the same head is not stamped twice"
        table.sign(9)
        (tmp_path / "7.heads").write_text(table.file.read_text())
        assert stamper.stamp("7") == tmp_path / "7.stamps" / "9.tsr"
    for seq, line in ((3, table.lines[1]), (9, table.lines[2])):
        head = made.with_name(f"{seq}.head")
        assert head.read_text() == f"{line}\n"
        judged = openssl("ts", "-verify", "-data", head, "-in", head.with_suffix(".tsr"), "-CAfile", server.certificate)
        assert "Verification: OK" in judged.stdout, judged.stderr
    judged = openssl("ts", "-verify", "-data", made.with_name("9.head"), "-in", made, "-CAfile", server.certificate)
    assert judged.returncode != 0


def test_an_answer_to_another_query_a_refusal_and_what_is_no_answer_are_not_kept(
    tmp_path: Path, server: Server
) -> None:
    table = witnessed(tmp_path, 3)
    digest = hashlib.sha256(f"{table.lines[1]}\n".encode()).digest()
    wrong: list[tuple[Answer, str]] = [
        (lambda _: server.answer(query_of(digest, 1 << 62)), "has stamped something else"),
        (lambda query: server.answer(query.replace(digest, bytes(32))), "has stamped something else"),
        (lambda query: server.answer(query, digests="sha512"), "grants no stamp"),
        (lambda _: b"", "answers something else"),
        (lambda _: b"<html>", "answers something else"),
        (lambda query: server.answer(query)[:700], "answers something else"),
        (lambda _: bytes(MOST + 1), "answers something else"),
    ]
    for answer, words in wrong:
        with asked_at(answer) as address, pytest.raises(WitnessRefusedError, match=words):
            Stamper(tmp_path, address).stamp("7")
    assert not (tmp_path / "7.stamps").exists()


def test_what_keeps_a_head_from_being_stamped_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    witnessed(tmp_path, 3)
    (tmp_path / "8.heads").write_text("nothing\n")
    stamper = Stamper(tmp_path, f"http://127.0.0.1:{free_port()}")
    with pytest.raises(WitnessAwayError, match="is not reached"):
        stamper.stamp("7")
    for table in ("8", "9", "7"):
        stamper.stamp_or_say(table)
    assert [record.getMessage().split(":")[0] for record in caplog.records] == ["8", "7"]


def test_stamps_of_a_record_before_are_not_taken_for_this_ones(tmp_path: Path, server: Server) -> None:
    witnessed(tmp_path, 3)
    with asked_at(server.answer) as address:
        stamper = Stamper(tmp_path, address)
        made = stamper.stamp("7")
        assert made is not None
        made.with_suffix(".head").write_text("the head of another record\n")
        with pytest.raises(WitnessError, match="stamps of a record before this one"):
            stamper.stamp("7")


def test_every_cut_of_an_answer_is_refused(server: Server) -> None:
    digest, nonce = bytes(range(32)), (1 << 62) + 7
    answer = server.answer(query_of(digest, nonce))
    require_about(answer, digest, nonce, "server")
    for size in range(0, len(answer), 7):
        with pytest.raises(WitnessRefusedError):
            require_about(answer[:size], digest, nonce, "server")
