"""Who asks, and whether they may: cookie, rights, and that a change comes from the page and not from another site."""

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from feltd.door import Person
from feltd.page.access.accounts import Account, AccountError
from feltd.page.access.bearers import Bearer, BearerRefused
from feltd.page.access.known_devices import KEPT_SECONDS
from feltd.page.access.roles import Right, only_looks
from feltd.page.access.security_keys import KeysPlace
from feltd.page.access.sessions import Session, same
from feltd.page.access.signing_in import SigningIn
from feltd.page.access.turns import NO_PLACE, new_place, place_of
from feltd.page.access.visitors import Visitor
from feltd.page.api.problems import ApiProblem
from feltd.text.ip_addresses import counted_as

COOKIE: Final = "feltd"
DEVICE_COOKIE: Final = "feltd-device"
PLACE_COOKIE: Final = "feltd-place"
SECURE: Final = "__Host-"
"""A cookie's name that begins so binds it to this host and to TLS."""
CSRF_HEADER: Final = "X-CSRF-Token"
BY_ITSELF_HEADER: Final = "X-By-Itself"
"""A page that asks by itself, with nobody touching it, sends this: it does not keep a session from ending."""
READ_ONLY: Final = "nothing was done here for a while, so this page only looks: sign in again"
FACTOR_FIRST: Final = "your role needs a second factor: set one up first, on the page of your account"
LOOK_EVERY: Final = 1.0
"""Seconds after which a stream on which nothing comes is looked at: its session may be over."""
KNOWN_LOOKED_AT: Final = 8
"""People who have signed in with a browser: so many are looked at when nobody is signed in."""
BAD_TOKEN: Final = {"www-authenticate": 'Bearer error="invalid_token"'}
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OF_PROXIES: Final = frozenset({
    "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-envoy-external-address",
    "x-original-host", "cf-connecting-ip", "true-client-ip",
})  # fmt: skip
_FORWARDED: Final = "x-forwarded"
"""What the names of many others begin with."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    `account` is None for somebody on this machine where the page may be read there without signing in. `bearer`: they
    come with a token and have no session.
    """

    account: Account | None
    session: Session | None
    address: str
    bearer: Bearer | None = None

    def may(self, right: Right) -> bool:
        """Whether they may see or do this now."""
        if self.bearer is not None:
            return right in self.bearer.rights
        if self.account is None or self.session is None:
            return right is Right.SEE
        return self.session.may(self.account, right)

    @property
    def read_only(self) -> bool:
        """Whether they only look until they sign in again, because nothing was done for too long."""
        return self.session is not None and self.session.read_only

    @property
    def visitor(self) -> Visitor:
        """Under whose name what they take is counted."""
        return Visitor(self._name, counted_as(self.address))

    @property
    def _name(self) -> str | None:
        if self.bearer is not None:
            return self.bearer.name
        return None if self.account is None else self.account.name

    @property
    def account_name(self) -> str:
        """The account in whose name they ask; empty for somebody who has not signed in."""
        return "" if self.account is None else self.account.name

    def person(self) -> Person:
        """Return the signed-in caller as the record names them; a token's id stands with its account's name."""
        assert self.account is not None
        name = self.account.name if self.bearer is None else self.bearer.name
        return Person(self.account.signature, name, self.account.role.value, self.address)


class Guard:
    """Tells who sends a request, and refuses what they may not do.

    `secure`: the page is served over TLS. `open_on_loopback`: anybody on this machine may read it without signing in.
    `address`: the page's as browsers show it, where that is known: a proxy in front may speak TLS in the page's place.
    """

    def __init__(
        self, signing_in: SigningIn, *, secure: bool, open_on_loopback: bool = False, address: str | None = None
    ) -> None:
        self._address = None if address is None else KeysPlace(address)
        self.signing_in = signing_in
        self.secure = secure
        self._open_on_loopback = open_on_loopback
        self._closing: set[asyncio.Future[None]] = set()
        """Streams whose readers have gone, until they are closed."""

    @property
    def cookie(self) -> str:
        """The cookie's name."""
        return f"{SECURE}{COOKIE}" if self.secure else COOKIE

    def device_cookie(self, name: str = "") -> str:
        """The name of the cookie by which a browser is known again to an account; each has its own."""
        return f"{SECURE if self.secure else ''}{DEVICE_COOKIE}-{name}"

    def keys_place(self, request: Request) -> KeysPlace | None:
        """Where security keys work, if that is where this request came to; None where none would be taken."""
        place = self.signing_in.factors.place
        return place if place is not None and place.is_at(request.url.netloc) else None

    def visitor(self, request: Request) -> Visitor:
        """Under whose name a request is counted. It keeps no session from ending."""
        address = counted_as(request.client.host if request.client else "")
        try:
            bearer = self.signing_in.bearers.find(request.headers.get("authorization"))
            if bearer is not None:
                return Visitor(bearer.name, address)
            signed_in = self.signing_in.sessions.find(request.cookies.get(self.cookie), by_hand=False)
            if signed_in is not None:
                return Visitor(signed_in[1].name, address)
            tokens = [token for name, token in request.cookies.items() if name.startswith(self.device_cookie())]
            known = filter(None, map(self.signing_in.devices.find, tokens[:KNOWN_LOOKED_AT]))
            device = next(known, None)
        except (AccountError, BearerRefused):  # the request itself is told
            return Visitor(None, address)
        return Visitor(None if device is None else device.account.name, address)

    def caller(self, request: Request, *, by_itself: bool = False) -> Caller | None:
        """Return the sender of a request; None if they may not be here.

        `by_itself`: pages send this request without a person's touch, so it does not keep the session from ending.
        Raises ApiProblem for a token that opens nothing.
        """
        address = request.client.host if request.client else ""
        try:
            bearer = self.signing_in.bearer(request.headers.get("authorization"), address)
        except BearerRefused as refusal:
            raise ApiProblem(HTTPStatus.UNAUTHORIZED, str(refusal), BAD_TOKEN) from None
        if bearer is not None:
            return Caller(bearer.account, None, address, bearer)
        by_hand = not by_itself and (request.method not in _SAFE or BY_ITSELF_HEADER not in request.headers)
        signed_in = self.signing_in.sessions.find(request.cookies.get(self.cookie), by_hand=by_hand)
        if signed_in is not None:
            return Caller(signed_in[1], signed_in[0], address)
        if self._open_on_loopback and from_here(request):
            return Caller(None, None, address)
        return None

    async def while_allowed(
        self, request: Request, right: Right, stream: AsyncGenerator[str, None]
    ) -> AsyncGenerator[str, None]:
        """Pass a stream on until its caller may no longer have it.

        It ends before a text, and within a second where none comes, if the session is over, the account is shut, or
        the account's role no longer has `right`. Following a stream does not keep a session from ending, except for an
        account that may only look: a screen on the wall shows the clock all evening.
        """
        coming: asyncio.Future[str | None] | None = None
        try:
            while True:
                coming = coming or asyncio.ensure_future(anext(stream, None))
                await asyncio.wait({coming}, timeout=LOOK_EVERY)
                caller = self._if_allowed(request, right)
                if caller is None:
                    return
                if not coming.done():
                    continue
                text, coming = coming.result(), None
                if text is None:
                    return
                if caller.account is not None and only_looks(caller.account.role):
                    self.caller(request)
                yield text
        finally:
            # Beside this: where the reader has gone, every await in here is cancelled, and the stream would stay open.
            closing = asyncio.ensure_future(_closed(stream, coming))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            await asyncio.shield(closing)

    def _if_allowed(self, request: Request, right: Right) -> Caller | None:
        try:
            caller = self.caller(request, by_itself=True)
        except ApiProblem:  # its token has ended
            return None
        return caller if caller is not None and caller.may(right) else None

    def need(self, right: Right, *, by_itself: bool = False) -> Callable[[Request], Awaitable[Caller]]:
        """Make a dependency that returns the caller if they have `right`.

        `by_itself`: as for `caller`. The dependency raises ApiProblem: 401 for a caller who is not signed in, 403 for
        one without the right. Where the session is read-only, 401 for all but looking.
        """

        async def needed(request: Request) -> Caller:  # in the loop: sessions are nobody else's
            caller = self.caller(request, by_itself=by_itself)
            if caller is None or (caller.account is None and not caller.may(right)):
                raise ApiProblem(HTTPStatus.UNAUTHORIZED, "sign in first")
            if caller.read_only and (right is not Right.SEE or request.method not in _SAFE):
                raise ApiProblem(HTTPStatus.UNAUTHORIZED, READ_ONLY)
            self.require(caller, right)
            if request.method not in _SAFE:
                self.check_origin(request)
                self._check_token(request, caller)
            return caller

        return needed

    @staticmethod
    def require(caller: Caller, right: Right) -> None:
        """Raises ApiProblem where the caller, who is signed in, may not do this."""
        if not caller.may(right):
            if caller.bearer is not None and not caller.bearer.lacks_factor:
                raise ApiProblem(HTTPStatus.FORBIDDEN, f'the scope of this token does not have "{right.value}"')
            if caller.bearer is not None or (caller.session is not None and caller.session.lacks_factor):
                raise ApiProblem(HTTPStatus.FORBIDDEN, FACTOR_FIRST)
            role = caller.account.role.value if caller.account else "nobody"
            raise ApiProblem(HTTPStatus.FORBIDDEN, f"{role}: not allowed to do this")

    def check_origin(self, request: Request) -> None:
        """Raises ApiProblem where a browser says that another site's page sends this."""
        site = request.headers.get("sec-fetch-site")
        if site is not None and site not in {"same-origin", "none"}:
            raise ApiProblem(HTTPStatus.FORBIDDEN, "this was sent by another site's page")
        origin = request.headers.get("origin")
        if origin is None or origin == f"{request.url.scheme}://{request.url.netloc}":
            return
        if self._address is None or origin != self._address.origin or not self._address.is_at(request.url.netloc):
            raise ApiProblem(HTTPStatus.FORBIDDEN, "this was sent by another site's page")

    def _check_token(self, request: Request, caller: Caller) -> None:
        if caller.bearer is not None:  # no browser adds a token by itself
            return
        session = caller.session
        if session is None or not same(request.headers.get(CSRF_HEADER, ""), session.csrf):
            raise ApiProblem(HTTPStatus.FORBIDDEN, f"{CSRF_HEADER}: send the token that GET /api/v1/session gives")

    def set_cookie(self, response: Response, token: str) -> None:
        """Hand the session to the browser: for this host's own pages, out of reach of scripts."""
        response.set_cookie(self.cookie, token, path="/", secure=self.secure, httponly=True, samesite="strict")

    def device_token(self, request: Request, name: str) -> str | None:
        """The token by which this browser says that somebody of this name has signed in there."""
        return request.cookies.get(self.device_cookie(name))

    def know_device(self, request: Request, response: Response, account: Account) -> None:
        """Have the browser say from now on that this person has signed in there."""
        name = self.device_cookie(account.name)
        if self.signing_in.devices.find(self.device_token(request, account.name)) is None:
            response.set_cookie(
                name, self.signing_in.devices.token(account), max_age=KEPT_SECONDS, path="/", secure=self.secure,
                httponly=True, samesite="strict",
            )  # fmt: skip

    def place(self, request: Request) -> str | None:
        """The token of this browser's place among those who wait to sign in."""
        return request.cookies.get(self._place_cookie)

    def give_place(self, request: Request, response: Response) -> None:
        """Give a browser that has none a place. It lasts until the browser is closed, and opens nothing."""
        if place_of(self.place(request)) == NO_PLACE:
            response.set_cookie(
                self._place_cookie, new_place(), path="/", secure=self.secure, httponly=True, samesite="strict"
            )

    @property
    def _place_cookie(self) -> str:
        return f"{SECURE if self.secure else ''}{PLACE_COOKIE}"

    def drop_cookie(self, response: Response) -> None:
        """Take it back."""
        response.delete_cookie(self.cookie, path="/", secure=self.secure, httponly=True, samesite="strict")


def from_here(request: Request) -> bool:
    """Tell whether the request comes from this machine, by its own name and through no proxy.

    By another name a web site could ask through the browser of a person here; through a proxy on this machine anybody
    could. A proxy may add no header, and put this machine's name in the place of its own: so nginx does unless it is
    told otherwise. Before 1.29.7 it asks by HTTP/1.0, which no browser speaks; since then by HTTP/1.1, and such a proxy
    cannot be told from a browser here.
    """
    names = request.headers.keys()
    if any(name in _OF_PROXIES or name.startswith(_FORWARDED) for name in names):
        return False
    if request.client is None or request.scope.get("http_version") == "1.0":
        return False
    return _is_here(request.client.host) and _is_here(request.url.hostname or "")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _closed(stream: AsyncGenerator[str, None], coming: asyncio.Future[str | None] | None) -> None:
    """Close a stream. `coming`: its next text, if that is waited for: a stream that waits cannot be closed."""
    if coming is not None:
        coming.cancel()
        await asyncio.wait({coming})
    await stream.aclose()
