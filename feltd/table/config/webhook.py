"""`[page.webhook]`: where bookmarks are sent as they come up."""

from typing import Annotated

from pydantic import AfterValidator, Field

from feltd.posting.addresses import web_address
from feltd.table.config.fields import FilePath, Section


class Webhook(Section):
    """`[page.webhook]`: a system of cameras that is told each ruling and alarm as it comes."""

    url: Annotated[str, AfterValidator(web_address)] = Field(
        description="where bookmarks are posted: https://, or http:// to this machine"
    )
    key_file: FilePath = Field(description="the file with the key that signs them, 32 bytes at least")
    ca_file: FilePath | None = Field(
        default=None, description="certificates, PEM, that the receiver's must come from; left out, the machine's own"
    )
