"""Decisions that a badge at the table signs, as the API tells them."""

from pydantic import BaseModel, ConfigDict, Field

from feltd.door import SignatureState
from feltd.text.catalogue import refusal


class SignatureView(BaseModel):
    """A decision that waits for a badge at the table, or how that ended."""

    model_config = ConfigDict(from_attributes=True)

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


def detail_in_words(detail: str | None) -> str | None:
    """Return the detail of a signature in the language that is spoken; the badge may stand before it."""
    if detail is None:
        return None
    badge, colon, why = detail.partition(": ")
    said = refusal(detail)
    return f"{badge}{colon}{refusal(why)}" if colon and said == detail else said
