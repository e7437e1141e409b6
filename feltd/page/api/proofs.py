"""What a person gives at the door, and once more before something of weight is done: password and second factor."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from feltd.page.access.factors import Proof
from feltd.page.access.passwords import LONGEST
from feltd.page.access.security_keys import Signed

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,1400}$")]
"""A security key's, base64url."""
Text = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,8192}$")]
"""Bytes, base64url."""


class KeySignature(BaseModel):
    """What a security key has signed (WebAuthn), each in base64url without padding."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    id: Id
    client_data: Text
    authenticator_data: Text
    signature: Text


class Factor(BaseModel):
    """A second factor: a code of an app, or what a security key has signed."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    code: Annotated[str, Field(pattern=r"^[0-9]{6}$")] | None = Field(
        default=None, description="of the second factor, where there is one"
    )
    key: KeySignature | None = Field(
        default=None, description="in place of a code: what a security key of the account has signed"
    )

    def proof(self) -> Proof:
        """The same as it is judged."""
        return Proof(self.code, None if self.key is None else Signed(**dict(self.key)))


class Proven(Factor):
    """The person's password, once more, and a second factor."""

    password: Annotated[str, Field(min_length=1, max_length=LONGEST)]
