"""A technician who is signed in at a running table: its own API, asked over this board's loopback or network.

The table is asked for tests as its page asks for them; who did so stands in its record. The password is kept nowhere.
"""

import http.client
import ipaddress
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from feltd.acceptance.run import StepFailedError
from feltd.acceptance.steps import Act, Listening, Message, Motion
from feltd.door.devices import TrialKind
from feltd.page.access.roles import Right
from feltd.page.addresses import is_loopback
from feltd.page.api.guard import CSRF_HEADER
from feltd.page.certificate import MADE
from feltd.table.config.config import TableConfig
from feltd.text.errors import FeltdError

_API: Final = "/api/v1"
_TIMEOUT: Final = 15.0
_TIME_OVER: Final = "its time is over"
_REASON: Final = "acceptance"

Ask = Callable[[str, str, Mapping[str, str], bytes | None], tuple[int, Mapping[str, str], bytes]]
"""(method, path, headers, body) → status, headers in small letters, body. Raises OSError.

A header that comes more than once has a line for each.
"""


class TechnicianError(FeltdError):
    """The table cannot be asked, or does not let this person in."""


class _RefusedError(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def page_of(config: TableConfig) -> Ask:
    """The page of the table that this configuration describes, on this board."""
    host, port = _reached(config.page.host), config.page.port
    secure = config.page.certificate is not None or not is_loopback(config.page.host)
    context = _trust(config) if secure else None

    def ask(
        method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        if context is None:
            connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT)
        else:
            connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT, context=context)
        try:
            connection.request(method, path, body=body, headers=dict(headers))
            answer = connection.getresponse()
            return answer.status, _one_of_each(answer.getheaders()), answer.read()
        except http.client.HTTPException as fault:
            raise OSError(f"no answer that can be read: {type(fault).__name__}") from None
        finally:
            connection.close()

    return ask


class SignedIn:
    """A session. Test mode is ended by `leave` where it was begun here."""

    def __init__(self, ask: Ask, name: str, password: str) -> None:
        """Raises TechnicianError."""
        self.name = name
        self._ask = ask
        self._headers: dict[str, str] = {}
        self._testing = False
        self._listening: int | None = None
        self._seen: list[Mapping[str, Any]] = []
        try:
            answer, headers = self._request("POST", "/session", {"name": name, "password": password})
        except OSError as fault:
            raise TechnicianError(f"the table's page cannot be asked: {fault}; does feltd run?") from None
        except _RefusedError as refusal:
            raise TechnicianError(f"{name} cannot sign in: {refusal}") from None
        self._headers = {"cookie": _cookies(headers.get("set-cookie", "")), CSRF_HEADER: answer["csrf"]}
        if Right.DEVICES not in answer["rights"]:
            self._end_session()
            raise TechnicianError(f"{name} is {answer['role']}: only a technician tests devices (feltd user role)")

    def devices(self) -> Mapping[str, Any]:
        """Return the state of every device, as the page shows it.

        Raises StepFailedError.
        """
        devices: Mapping[str, Any] = self._do("GET", "/devices")
        return devices

    def waits(self) -> list[str]:
        """Return the rulings and alarms that wait for somebody, in words.

        Raises StepFailedError.
        """
        state = self._do("GET", "/state")
        rulings = [f"ruling {one['id']} waits for a supervisor: {one['text']}" for one in state["table"]["pending"]]
        alarms = [f"nobody has acknowledged: {one['text']}" for one in state["alarms"] if not one["acknowledged"]]
        return [*rulings, *alarms]

    def leave(self) -> str | None:
        """End test mode and the session; return what could not be undone, in words, or None."""
        undone = None
        if self._testing:
            try:
                self._test_mode(False)
            except StepFailedError as fault:
                undone = f"the table is still in test mode ({fault}): end it at the page"
        self._end_session()
        return undone

    # -- as the run asks

    def do(self, motion: Motion) -> None:
        if motion.act in (Act.BEGIN_TESTS, Act.END_TESTS):
            self._test_mode(motion.act is Act.BEGIN_TESTS)
            return
        assert motion.test is not None
        body = {"test": motion.test.value} | ({} if motion.lamp is None else {"lamp": motion.lamp})
        self._do("POST", f"/devices/{quote(motion.device, safe='')}/test", body)

    def listen(self, listening: Listening) -> None:
        self._seen = []
        self._begin(listening.device)

    def heard(self, listening: Listening) -> str | None:
        trial = self._do("GET", "/devices")["test"] or {}
        if trial.get("number") != self._listening:
            raise StepFailedError("somebody else has begun another test at the page meanwhile")
        seen = [*self._seen, *trial["seen"]]
        if trial["over"] == _TIME_OVER:  # a test is shorter than a person's patience: the next goes on from here
            self._seen = seen
            self._begin(listening.device)
        elif trial["over"] is not None:
            raise StepFailedError(f"the test was ended: {trial['over']}")
        return judged(listening, seen)

    def listened(self) -> None:
        number, self._listening = self._listening, None
        if number is None:
            return
        try:
            trial = self._do("GET", "/devices")["test"] or {}
            if trial.get("number") == number and trial["over"] is None:
                self._do("DELETE", f"/devices/{quote(trial['device'], safe='')}/test")
        except StepFailedError:  # it ends by itself
            return

    def _begin(self, device: str) -> None:
        view = self._do("POST", f"/devices/{quote(device, safe='')}/test", {"test": TrialKind.LISTEN.value})
        self._listening = view["number"]

    def _test_mode(self, on: bool) -> None:
        self._do("POST", "/test-mode", {"on": on, "reason": _REASON})
        self._testing = on

    # -- the wire

    def _end_session(self) -> None:
        try:
            self._request("DELETE", "/session")
        except (OSError, _RefusedError):  # it ends by itself
            return

    def _do(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        try:
            return self._request(method, path, body)[0]
        except OSError as fault:
            raise StepFailedError(f"the table's page cannot be asked: {fault}") from None
        except _RefusedError as refusal:
            gone = "; the session is over" if refusal.status == HTTPStatus.UNAUTHORIZED else ""
            raise StepFailedError(f"the table says: {refusal}{gone}") from None

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[Any, Mapping[str, str]]:
        sent = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, "content-type": "application/json"}
        status, answer_headers, content = self._ask(method, f"{_API}{path}", headers, sent)
        try:
            answer = json.loads(content) if content else {}
        except ValueError:
            raise _RefusedError(
                status, "an answer that is none of feltd's: does another program listen there?"
            ) from None
        if status >= HTTPStatus.BAD_REQUEST:
            raise _RefusedError(status, str(answer.get("detail", status)))
        return answer, answer_headers


def judged(listening: Listening, seen: list[Mapping[str, Any]]) -> str | None:
    """Return the verdict of a listening test on the messages seen so far.

    Empty: all came, in order. A text: an unexpected message came where none may. None: some are still to come.
    """
    waited = list(listening.messages)
    for message in seen:
        if waited and _is(waited[0], message):
            del waited[0]
        elif listening.alone:
            wanted = str(waited[0]) if waited else "nothing more"
            return f"{listening.device} said {_in_words(message)} where {wanted} was to come"
    return None if waited else ""


def _is(message: Message, seen: Mapping[str, Any]) -> bool:
    if seen["event"] not in message.any_of or (message.read and seen["read"] is not True):
        return False
    fields = dict(seen["said"])
    place = seen["place"]
    if place is not None:
        fields |= {"zone": place}
        if place.startswith("seat:"):
            fields |= {"seat": int(place.removeprefix("seat:"))}
    return all(fields.get(name) == value for name, value in message.where.items())


def _in_words(seen: Mapping[str, Any]) -> str:
    fields = ", ".join(f"{name} {value}" for name, value in seen["said"].items())
    return f"{seen['event']} ({fields})" if fields else str(seen["event"])


def _one_of_each(headers: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Headers by their names in small letters; one that comes more than once has a line for each."""
    together: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        together[key] = f"{together[key]}\n{value}" if key in together else value
    return together


def _cookies(set_by: str) -> str:
    """What to send back of the cookies that were set, a line each: every one, or the session's own is missed."""
    return "; ".join(line.partition(";")[0] for line in set_by.splitlines())


def _reached(host: str) -> str:
    """An address at which this board reaches its own page."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if not address.is_unspecified:
        return host
    return "127.0.0.1" if address.version == 4 else "::1"


def _trust(config: TableConfig) -> ssl.SSLContext:
    """The page's own certificate and no other: whatever name it is for, it is the one that this table serves."""
    file = config.page.certificate or config.accounts_file.parent / MADE
    try:
        context = ssl.create_default_context(cafile=str(file))
    except OSError as fault:
        raise TechnicianError(f"{file}: the page's certificate cannot be read: {fault.strerror or fault}") from None
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context
