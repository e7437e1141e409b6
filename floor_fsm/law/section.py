"""The base of what a book rules of one matter."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Clause = Annotated[str, Field(min_length=1, max_length=60)]


class Section(BaseModel):
    """The base of every section: immutable, and no unknown keys.

    `clause`: where the text says it; "ours" where no text does. `text`: what people read. `note`: the other reading, or
    who decides where the text is silent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    clause: Clause
    text: Annotated[str, Field(min_length=10, max_length=400)]
    note: Annotated[str, Field(min_length=5, max_length=400)] | None = None
