"""The worked examples of `docs/record.md` are what feltd computes, and its texts those that feltd writes."""

import json
import re
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.record.database import SCHEMA
from feltd.record.entries import FIELD_NAMES, HostEntry, Row, chain_next, chain_start, digest, encode
from feltd.record.findings import FaultKind
from feltd.record.notes import RECEIPT_NOTE
from feltd.record.receipts import ReceiptKey
from feltd.record.sealing import MasterKey, RoundKey, commitment, entry_commitment
from feltd.record.signed_heads import FirstKey, SignedHead, message_of

PAGE: Final = Path(__file__).parents[2].joinpath("docs/record.md").read_text(encoding="utf-8")
JOURNAL_ID: Final = bytes(range(16))
NOTE: Final = Row(
    1, "host", "note", None, 12.5, 1700000000.25, None, None, None, None, None, None, '{"note":"start"}', None, None
)
CHAIN: Final = chain_next(chain_start(JOURNAL_ID), digest(NOTE))


def test_the_example_of_an_entry_is_right() -> None:
    for value in (chain_start(JOURNAL_ID), digest(NOTE), CHAIN):
        assert value.hex() in PAGE
    found = re.search(r"^encoding ([0-9a-f \n]+)\ndigest", PAGE, re.MULTILINE)
    assert found is not None
    assert found[1].replace(" ", "").replace("\n", "") == encode(NOTE).hex()


def test_the_example_of_a_head_is_right() -> None:
    assert MasterKey(bytes(range(32))).head_mac(JOURNAL_ID, 1, CHAIN).hex() in PAGE
    first, following = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
    next_key, wall_ms = following.public_key().public_bytes_raw(), 1_700_000_000_250
    signature = first.sign(message_of(JOURNAL_ID, 1, wall_ms, CHAIN, next_key))
    line = str(SignedHead(1, wall_ms, CHAIN, next_key, signature))
    assert f"{FirstKey(JOURNAL_ID, first.public_key().public_bytes_raw())}\n{line}\n" in PAGE


def test_the_example_of_a_sealed_entry_is_right() -> None:
    key = bytes([7]) * 32
    entry_key = RoundKey(JOURNAL_ID, 3, 1, key).entry_key(5)
    for text in (commitment(key), entry_key.hex(), entry_commitment(entry_key).hex()):
        assert text in PAGE


def test_schema_fields_names_and_findings_are_on_the_page() -> None:
    assert "```sql\n" + "\n".join(SCHEMA) + "\n```" in PAGE
    for name in (*FIELD_NAMES, *HostEntry):
        assert f"`{name}`" in PAGE, name
    for kind in FaultKind:
        if kind not in (FaultKind.ANCHOR, FaultKind.LOG):  # of lines kept elsewhere, and of SQLite's log
            assert f"`{kind}`" in PAGE, kind


def test_the_example_of_a_receipt_is_right() -> None:
    key = ReceiptKey(Ed25519PrivateKey.from_private_bytes(bytes([3]) * 32))
    body = {"note": RECEIPT_NOTE, **key.receipt(JOURNAL_ID, 1, CHAIN, 1_700_000_060.0).to_body()}
    assert json.dumps(body, separators=(",", ":")) in PAGE
