"""Forged records, and a second verifier that knows nothing of feltd but `docs/record.md`."""
