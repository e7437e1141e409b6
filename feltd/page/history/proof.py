"""What a printed report says of its proof: read from the round's export, so that paper and file can be compared."""

import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof of a round's export. Hashes are hexadecimal.

    `last`: the last entry of the part; `chain`: the chain's value there. `head`, `head_chain`: the head that the
    export names as its anchor, at that entry or later. `signed_head`: the head with its signature as the export has it,
    None where it has none.
    """

    file: str
    journal_id: str
    first: int
    last: int
    chain: str
    head: int
    head_chain: str
    signed_head: str | None = None


def proof_of(number: int, lines: Iterable[str]) -> Proof:
    """Read the proof of a finished round from the lines of its export."""
    entries: list[tuple[int, str]] = []
    journal_id, anchor, signed = "", "", None
    for line in lines:
        said = json.loads(line)
        if "entry" in said:
            entries.append((said["entry"]["seq"], said["chain"]))
        journal_id = said.get("journal_id", journal_id)
        anchor = said.get("anchor", anchor)
        signed = said.get("signed_head", signed)
    head, head_chain = anchor.split()[-2:]
    (first, _), (last, chain) = entries[0], entries[-1]
    return Proof(export_name(number), journal_id, first, last, chain, int(head), head_chain, signed)


def export_name(number: int) -> str:
    """The name of the file of a round's export."""
    return f"round-{number}.jsonl"
