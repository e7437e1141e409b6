"""The adapters that the tests' pages share read and describe what their own would."""

from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Query
from fastapi._compat import v2
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from tests.quick_routes import adapter


class Small(BaseModel):
    """The least bet and what is said of it."""

    cents: int = Field(1, ge=1)
    words: str | None = None


def test_a_type_with_the_same_bounds_has_one_adapter_and_with_others_its_own() -> None:
    small = adapter(Annotated[int, Field(le=1)])
    assert adapter(Annotated[int, Field(le=1)]) is small
    large = adapter(Annotated[int, Field(le=2)])
    assert large.validate_python(2) == 2
    with pytest.raises(ValidationError):
        small.validate_python(2)
    assert adapter(Annotated[str, Field(le=1)]) is not small


def test_an_application_with_shared_adapters_describes_itself_as_one_with_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert vars(v2)["TypeAdapter"] is adapter
    shared = [described(3), described(4)]
    monkeypatch.setattr(v2, "TypeAdapter", TypeAdapter)
    assert [described(3), described(4)] == shared
    assert shared[0] != shared[1]


def described(most: int) -> dict[str, Any]:
    """What an application says of itself whose routes ask for a bounded number and for a model."""
    app = FastAPI()

    @app.get("/numbers")
    def numbers(limit: Annotated[int, Query(le=most)] = 1) -> list[Small]:
        return [Small(cents=limit)]

    @app.post("/numbers")
    def more(body: Small) -> Small:
        return body

    return app.openapi()
