"""Amounts as people write them: points as they are, cents as money of their currency."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from feltd.text.language import Language, spoken
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.denomination import Denomination

CENTS_IN_WHOLE: Final = 100
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {**dict.fromkeys(("AUD", "CAD", "HKD", "NZD", "SGD", "USD"), "$"), "EUR": "€", "GBP": "£"}
)


@dataclass(slots=True)
class _Chosen:
    """What a pit page's file says. One for a process: it speaks for one house."""

    currency: str | None = None


_chosen: Final = _Chosen()


def choose_currency(currency: str | None) -> None:
    """Money of tournaments over many tables is of this currency from now on (ISO 4217); None: it names none."""
    _chosen.currency = currency


def house_currency() -> str | None:
    """Return the currency of tournaments over many tables: their terms are in cents and do not name it."""
    return _chosen.currency


def sign_of(currency: str | None) -> str:
    """Return what stands before an amount of money; a currency without a sign has its code and a blank.

    >>> sign_of("AUD"), sign_of("CHF"), sign_of(None)
    ('$', 'CHF ', '')
    """
    return "" if currency is None else _SIGNS.get(currency, f"{currency} ")


def amount_in_words(amount: int | None, counted: Denomination | None) -> str:
    """Return an amount in its denomination; a dash where no amount is known.

    `counted`: None where no table is open that would say it; the amount then stands as it is.

    >>> aud, points = Denomination(AmountUnit.CENTS, "AUD"), Denomination(AmountUnit.POINTS)
    >>> amount_in_words(250, aud), amount_in_words(20000, aud), amount_in_words(None, aud)
    ('$2.50', '$200', '–')
    >>> amount_in_words(20000, points)
    '20,000'
    """
    if amount is None:
        return "–"
    if counted is None or counted.unit is AmountUnit.POINTS:
        return _whole(amount)
    whole, rest = divmod(amount, CENTS_IN_WHOLE)
    sign = sign_of(counted.currency)
    if spoken() is Language.GERMAN:
        return f"{_whole(whole)}{f',{rest:02d}' if rest else ''}\N{NO-BREAK SPACE}{sign.strip()}"
    return f"{sign}{_whole(whole)}" + (f".{rest:02d}" if rest else "")


def _whole(number: int) -> str:
    """A number with its thousands apart, as the language that is spoken has it."""
    return f"{number:,}".replace(",", "." if spoken() is Language.GERMAN else ",")
