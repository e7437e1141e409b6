"""Decisions that a badge at the table signs, as the API tells them."""

from typing import Any

from pydantic import BaseModel, Field

from feltd.page.access.signatures import Signature, Signatures, SignatureState


class SignatureView(BaseModel):
    """A decision that waits for a badge at the table, or how that ended."""

    id: int
    state: SignatureState
    decision: str
    ruling: int | None
    outcome: str | None
    asked_by: str
    signed_by: str | None = Field(description="the badge")
    seconds_left: float
    detail: str | None = Field(description="why it was not done, or why the last badge was not taken")
    entry: int | None = Field(description="the last entry of it in the record, where it was done")


def signature_view(signature: Signature, now: float) -> SignatureView:
    """As it is now. `now`: table seconds."""
    waits = signature.state is SignatureState.WAITING
    wanted = signature.wanted
    return SignatureView(
        id=signature.number,
        state=signature.state,
        decision=wanted.decision,
        ruling=wanted.ruling,
        outcome=wanted.outcome,
        asked_by=signature.asker.account,
        signed_by=signature.signed,
        seconds_left=round(max(0.0, signature.until - now), 1) if waits else 0.0,
        detail=signature.detail,
        entry=signature.taken.seq if signature.state is SignatureState.DONE and signature.taken else None,
    )


def shown(signatures: Signatures, now: float) -> list[dict[str, Any]]:
    """What everybody who looks is told of them."""
    return [signature_view(one, now).model_dump(mode="json") for one in signatures.shown()]
