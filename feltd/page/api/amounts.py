"""The denomination of amounts in the API's answers."""

from typing import Any

from pydantic import BaseModel, Field

from feltd.text.amounts import sign_of
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.denomination import Denomination


class AmountsView(BaseModel):
    """What the amounts of an answer are."""

    unit: AmountUnit = Field(description="points, or cents of the currency")
    currency: str | None = Field(description="its code in ISO 4217; with points, the one that prizes are paid in")
    sign: str = Field(description="what stands before an amount of money")


def amounts_as_json(counted: Denomination | None) -> dict[str, Any] | None:
    """The denomination as `AmountsView` describes it."""
    if counted is None:
        return None
    return {"unit": counted.unit.value, "currency": counted.currency, "sign": sign_of(counted.currency)}


def amounts_view(counted: Denomination | None) -> AmountsView | None:
    """The denomination as a part of another model."""
    return None if counted is None else AmountsView.model_validate(amounts_as_json(counted))
