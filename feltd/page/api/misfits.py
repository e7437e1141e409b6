"""What is wrong with a field of a request, in words for people and in their language: pydantic's are English."""

from collections.abc import Mapping
from typing import Any, Final

from feltd.text.catalogue import say

_OURS: Final = "Value error, "
"""Pydantic writes it before a text of ours."""


def misfit_in_words(error: Mapping[str, Any]) -> str:
    """Return what is wrong, with the field before it. What was sent is not repeated: it may be a password.

    `error`: one of pydantic's `errors()`. A kind of fault that no field of ours has had stays pydantic's text.
    """
    place = ".".join(str(part) for part in error["loc"] if part != "body")
    words = _wrong(error["type"], error.get("ctx", {})) or str(error["msg"]).removeprefix(_OURS)
    return f"{place}: {words}" if place else words


def _wrong(kind: str, limits: Mapping[str, Any]) -> str | None:
    match kind:
        case "missing":
            return say("is missing")
        case "extra_forbidden":
            return say("is not known here")
        case "enum" | "literal_error":
            return say("must be one of: {choices}", choices=_listed(str(limits["expected"])))
        case "string_type":
            return say("must be a text")
        case "int_type" | "int_parsing" | "int_from_float":
            return say("must be a whole number")
        case "float_type" | "float_parsing" | "finite_number":
            return say("must be a number")
        case "bool_type" | "bool_parsing":
            return say("must be true or false")
    return _beyond(kind, limits)


def _beyond(kind: str, limits: Mapping[str, Any]) -> str | None:
    match kind:
        case "greater_than_equal":
            return say("must be {least} or more", least=_plain(limits["ge"]))
        case "greater_than":
            return say("must be more than {least}", least=_plain(limits["gt"]))
        case "less_than_equal":
            return say("must be {most} or less", most=_plain(limits["le"]))
        case "less_than":
            return say("must be less than {most}", most=_plain(limits["lt"]))
        case "string_too_short":
            return say("needs {least} characters or more", least=limits["min_length"])
        case "string_too_long":
            return say("may have {most} characters at most", most=limits["max_length"])
    return None


def _listed(expected: str) -> str:
    """The names of `'a', 'b' or 'c'`, with commas alone."""
    return expected.replace("' or '", "', '").replace("'", "")


def _plain(limit: float) -> str:
    """A limit without the decimals that it does not have."""
    return str(int(limit)) if limit == int(limit) else str(limit)
