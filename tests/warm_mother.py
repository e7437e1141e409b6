"""The process that `tests.warm` has start others: it loads what a command of feltd needs, then forks one for each line.

A line on standard input is `{"words": [...], "log": PATH, "environment": {...}}`; it answers `begun PID` at once, and
`ended PID CODE` once that process has ended. At the end of its input it kills those that still run, and ends.
"""

import contextlib
import json
import os
import select
import signal
import sys
from importlib import import_module
from typing import Final

from feltd.cli import main
from feltd.table.host.loading import load_for_a_table, uncollected
from feltd.table.host.quick_dataclasses import quick_dataclasses

LOADS: Final = {
    "table": ("feltd.cli.run_command", "feltd.table.config.config", "feltd.launcher.table_process"),
    "page": ("feltd.cli.run_command", "feltd.table.config.config", "feltd.launcher.page_process"),
    "uplink": ("feltd.cli.uplink_command", "feltd.launcher.uplink_process"),
    "floor": ("feltd.cli.floor_commands", "feltd.launcher.floor_process"),
}
"""What the commands load when they run, by their first word."""


def load(command: str) -> None:
    """As the command itself loads it."""
    with uncollected(for_good=True), quick_dataclasses():
        if command == "table":
            load_for_a_table()
        for module in LOADS[command]:
            import_module(module)


def start(line: bytes, others: list[int]) -> int:
    """Fork; 0 in the new process, whose streams, words and environment are those that the line asks for."""
    asked = json.loads(line)
    pid = os.fork()
    if pid:
        return pid
    for descriptor in others:
        os.close(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    log = os.open(asked["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for descriptor, stream in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, stream)
    os.close(nothing)
    os.close(log)
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = ["feltd", *asked["words"]]
    return 0


def begin_all() -> bool:
    """Start what is asked for until the input ends; True in a process that was started."""
    running: dict[int, int] = {}
    rest = b""
    while True:
        ready, _, _ = select.select([0, *running], [], [])
        for ended in [descriptor for descriptor in ready if descriptor]:
            pid = running.pop(ended)
            os.close(ended)
            _, status = os.waitpid(pid, 0)
            _say(f"ended {pid} {os.waitstatus_to_exitcode(status)}")
        if 0 not in ready:
            continue
        read = os.read(0, 1 << 16)
        if not read:
            for pid in running.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return False
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            pid = start(line, list(running))
            if not pid:
                return True
            running[os.pidfd_open(pid)] = pid
            _say(f"begun {pid}")


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    load(sys.argv[1])
    if begin_all():
        main()
