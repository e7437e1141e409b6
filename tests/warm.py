"""Processes of feltd that begin warm: another one has loaded the modules of the command, and is forked for each.

A start takes most of its time to load modules, and a test that starts a process some hundred times shows nothing more
by it. From the first line of the command on, a process that begins so does what `python -m feltd.cli` does, under a
number, an environment and streams of its own: what it opens, it opens itself.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self


class WarmProcess:
    """One that runs, as `subprocess.Popen` has it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = threading.Event()

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.returncode

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it has ended, and its mother has not told it yet
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def has_ended(self, code: int) -> None:
        """Called by its mother."""
        self.returncode = code
        self._ended.set()


class WarmStart:
    """Starts processes of one command, for as long as the block lasts. `command`: the first word after `feltd`."""

    def __init__(self, command: str) -> None:
        self._mother = subprocess.Popen(
            [sys.executable, "-m", "tests.warm_mother", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._begun: queue.SimpleQueue[WarmProcess | None] = queue.SimpleQueue()
        self._running: dict[int, WarmProcess] = {}
        self._turn = threading.Lock()
        self._hearing = threading.Thread(target=self._hear, name=f"warm {command}", daemon=True)

    def __enter__(self) -> Self:
        self._hearing.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._mother.stdin is not None
        assert self._mother.stdout is not None
        self._mother.stdin.close()
        self._hearing.join()
        self._mother.stdout.close()
        self._mother.wait()

    def start(self, words: tuple[str, ...], log: Path, environment: Mapping[str, str]) -> WarmProcess:
        """Start one; what it says is added to `log`."""
        assert self._mother.stdin is not None
        asked = {"words": words, "log": str(log), "environment": dict(environment)}
        with self._turn:
            self._mother.stdin.write(json.dumps(asked).encode() + b"\n")
            self._mother.stdin.flush()
            begun = self._begun.get()
        assert begun is not None, "what starts the processes has ended: it has said why on standard error"
        return begun

    def _hear(self) -> None:
        assert self._mother.stdout is not None
        for line in self._mother.stdout:
            word, *numbers = line.split()
            if word == b"begun":
                process = WarmProcess(int(numbers[0]))
                self._running[process.pid] = process
                self._begun.put(process)
            else:
                self._running.pop(int(numbers[0])).has_ended(int(numbers[1]))
        self._begun.put(None)
        for process in self._running.values():  # it has killed them as it ended
            process.has_ended(-signal.SIGKILL)


def start_feltd(
    words: tuple[str, ...], log: Path, environment: Mapping[str, str], warm: WarmStart | None = None
) -> subprocess.Popen[bytes] | WarmProcess:
    """Start a command of feltd; what it says is added to `log`.

    `warm`: starts it, where it is killed so often that loading its modules would take most of the test.
    """
    if warm is not None:
        return warm.start(words, log, environment)
    command = [sys.executable, "-m", "feltd.cli", *words]
    with log.open("ab") as said:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment)
