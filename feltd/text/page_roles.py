"""The roles of accounts as files of settings name them: a table's and the pit's, which do not know the page."""

from typing import Literal

PageRole = Literal["observer", "supervisor", "director", "surveillance", "technician"]
"""The page has them as `feltd.page.access.roles.Role`."""
