"""A real pcscd with the virtual readers of vsmartcard-vpcd, out of the way of the machine's own.

It runs in a namespace of its own, in which `/run` is a folder of this process: pcscd's socket and its mark are nowhere
else. Two readers, each a TCP port at which a chip connects.
"""

import contextlib
import importlib.machinery
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

DRIVER: Final = Path("/usr/lib/pcsc/drivers/serial/libifdvpcd.so")
DEBIANS: Final = Path("/usr/lib/python3/dist-packages/smartcard")
NAME: Final = "Virtual PCD"
READERS: Final = (f"{NAME} 00 00", f"{NAME} 00 01")
_ATR: Final = bytes.fromhex(
    "3B8F8001804F0CA000000306030003000000 0068".replace(" ", "")
)  # an NTAG, as PC/SC part 3 has it
_ATR_OF: Final = b"\x04"
_GET_NUMBER: Final = bytes.fromhex("FFCA000000")
_RUN: Final = Path(tempfile.gettempdir()) / f"feltd-pcsc-{os.getpid()}"
"""One folder a process: libpcsclite asks but once where pcscd's socket is."""


def why_not() -> str | None:
    """Why no real pcscd can be had here; None if it can."""
    if shutil.which("pcscd") is None or not DRIVER.exists():
        return "pcscd and vsmartcard-vpcd are not installed: .ci/pcsc"
    fits = importlib.machinery.EXTENSION_SUFFIXES
    if not any((DEBIANS / "scard" / f"_scard{suffix}").exists() for suffix in fits):
        return "Debian's python3-pyscard is not installed, or is of another Python: .ci/pcsc"
    tried = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    return None if tried.returncode == 0 else "this machine makes no namespaces for tests: unshare -rm"


def use_debians(folder: Path) -> None:
    """Let Debian's pyscard be imported, and nothing else of Debian's; and let it find our pcscd."""
    os.environ["PCSCLITE_CSOCK_NAME"] = str(_RUN / "pcscd/pcscd.comm")
    if "smartcard" not in sys.modules:
        (folder / "smartcard").symlink_to(DEBIANS)
        sys.path.insert(0, str(folder))
        try:
            import smartcard.scard  # noqa: F401
        finally:
            sys.path.remove(str(folder))


def _plain(number: bytes, asked: bytes) -> bytes:
    """A chip that has a number and nothing else."""
    return number if asked == _GET_NUMBER else b"\x6d\x00"


class Service:
    """pcscd, and the chips at its readers."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self._settings = folder / "readers"
        self._settings.mkdir()
        (self._settings / "virtual").write_text(
            f'FRIENDLYNAME "{NAME}"\nDEVICENAME /dev/null:{port}\nLIBPATH {DRIVER}\nCHANNELID {port:#x}\n'
        )
        self._log = folder / "pcscd.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._chips: list[Chip] = []

    def lay(self, answer: bytes | Callable[[bytes], bytes | None], slot: int = 0) -> "Chip":
        """Lay a chip on a reader: it is there until it is lifted, or the service stops.

        `answer`: what it says to the question for its number, status word and all; or what it says to each command."""
        chip = Chip(self.port + slot, answer if callable(answer) else lambda asked: _plain(answer, asked))
        self._chips.append(chip)
        return chip

    def start(self) -> None:
        shutil.rmtree(_RUN, ignore_errors=True)
        _RUN.mkdir(mode=0o700)
        inside = f'mount --bind "{_RUN}" /run && exec pcscd --foreground --config "{self._settings}"'
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(["unshare", "-rm", "sh", "-c", inside], stdout=log, stderr=log)

    def stop(self) -> None:
        while self._chips:
            self._chips.pop().lift()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        shutil.rmtree(_RUN, ignore_errors=True)


class Chip:
    """A chip at a virtual reader: it is there from its making until `lift`."""

    def __init__(self, port: int, answer: Callable[[bytes], bytes | None]) -> None:
        self._answer = answer
        self._line = self._connected(port)
        self._thread = threading.Thread(target=self._serve, name="chip", daemon=True)
        self._thread.start()

    @staticmethod
    def _connected(port: int) -> socket.socket:
        while True:  # the reader's driver takes a new chip once it has seen that the one before is gone
            try:
                return socket.create_connection(("127.0.0.1", port))
            except ConnectionRefusedError:
                time.sleep(0.01)

    def _serve(self) -> None:
        try:
            while True:
                [length] = struct.unpack(">H", self._read(2))
                asked = self._read(length)
                if length > 1:
                    self._say(self._answer(asked) or b"")
                elif asked == _ATR_OF:
                    self._say(_ATR)
        except OSError:
            return

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self._line.recv(count - len(data))
            if not more:
                raise ConnectionResetError
            data += more
        return data

    def _say(self, data: bytes) -> None:
        self._line.sendall(struct.pack(">H", len(data)) + data)

    def lift(self) -> None:
        with contextlib.suppress(OSError):  # it was lifted already, or pcscd is gone
            self._line.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._line.close()
