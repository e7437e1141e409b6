"""The form of a commit's subject: `scope: imperative subject`, at most 72 characters.

`python -m tests.commit_subject FILE` judges one message (the commit-msg hook gives its file);
`python -m tests.commit_subject --history` judges the commits since this check came, apart from those a tag has.
Both print what is wrong and exit with 1.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

LONGEST = 72
"""Characters: `git log --oneline` and mail show as many in one line."""

_EXEMPT = ("Merge ", 'Revert "', "fixup! ", "squash! ", "amend! ")
"""Subjects that git writes."""

_FORM = re.compile(r"(?P<scope>[a-z0-9][a-z0-9_./-]*): (?P<subject>\S.*)")
_NO_VERB = re.compile(r"[a-z]+(?:ed|ing|(?<!s)s)")
_VERBS = frozenset(
    (
        "bring",
        "ping",
        "ring",
        "string",
        "embed",
        "exceed",
        "feed",
        "need",
        "proceed",
        "seed",
        "shed",
        "speed",
        "bias",
        "focus",
    )
)
"""Verbs whose plain form ends as an inflected one does."""

_HERE = Path(__file__)
_ROOT = _HERE.parents[1]


def faults(subject: str) -> list[str]:
    """What is wrong with the first line of a commit's message, in words; nothing where git wrote it."""
    if subject.startswith(_EXEMPT):
        return []
    found = []
    if len(subject) > LONGEST:
        found.append(f"it has {len(subject)} characters; at most {LONGEST} are allowed")
    if subject.endswith("."):
        found.append("it ends with a dot")
    form = _FORM.fullmatch(subject)
    if form is None:
        found.append("it does not have the form `scope: subject`, with one space and a scope in small letters")
        return found
    first = form["subject"].split()[0]
    if not first[0].islower():
        found.append(f"the subject begins with {first!r}; it begins with a verb in small letters")
    elif _NO_VERB.fullmatch(first) and first not in _VERBS:
        found.append(
            f"the subject begins with {first!r}; it begins with an imperative, as in `add`, not `added` or `adds`"
        )
    return found


def faults_of_message(message: str) -> list[str]:
    """As `faults`, for a whole message; lines that begin with `#` are git's."""
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    if not any(lines):
        return ["it is empty"]
    found = faults(lines[0])
    if len(lines) > 1 and lines[1]:
        found.append("the second line is not empty: git takes it for part of the subject")
    return found


def judge_history(root: Path) -> tuple[list[str], str]:
    """The faults of the commits that this check applies to, a line each, and what was judged, in words."""
    try:
        shallow = _git(root, "rev-parse", "--is-shallow-repository") == "true"
    except (OSError, subprocess.CalledProcessError):
        return [], "no commit was judged: git reads no checkout here"
    came = _git(root, "log", "--diff-filter=A", "--format=%H", "-1", "--", str(_HERE.relative_to(_ROOT)))
    if not came:
        return [], "no commit was judged: this check is not committed yet"
    listed = _git(root, "log", "--no-merges", "--format=%h %s", "HEAD", "--not", came, "--tags").splitlines()
    found = [f"{line}: {fault}" for line in listed for fault in faults(line.partition(" ")[2])]
    words = f"{len(listed)} commits were judged, those after {came[:7]}"
    if shallow:
        words += " (the clone is shallow: older commits are not here and were not judged)"
    return found, words


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    if list(arguments) == ["--history"]:
        found, judged = judge_history(_ROOT)
        print(judged)
    elif len(arguments) == 1:
        message = Path(arguments[0]).read_text(encoding="utf-8")
        found = [f"the commit's subject: {fault}" for fault in faults_of_message(message)]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
