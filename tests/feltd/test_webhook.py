"""Bookmarks sent as they come up: signed, in order, again until they are taken, and no wait for anybody else."""

import asyncio
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from feltd.door import Answer, NewAnswers
from feltd.launcher.page_process import limits_of
from feltd.page.api.feed import BATCH, Feed
from feltd.page.history.bookmarks import bookmark_of, find_bookmarks
from feltd.page.history.deliveries import KEPT, Deliveries
from feltd.page.opening import begin_sending
from feltd.page.settings import PageSettings, WebhookSettings
from feltd.page.webhook.sending import SECTION, Sender, sender_of
from feltd.posting.retrying import FIRST_WAIT, LONGEST_WAIT
from feltd.posting.signed import LEAST_KEY, NotTakenError, Poster, Signed, WebhookError, read_key, sign
from feltd.table.check.webhook import webhook_faults
from feltd.table.config.config import Page as PageSection
from feltd.table.config.webhook import Webhook
from table_fsm.events import FloorCalled, ShoeFault
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Page, index_of

KEY = b"k" * LEAST_KEY


async def named() -> str:
    return "Table 7"


def alarm(seq: int, state: str = "raised") -> Answer:
    output = {"t": 1.0, "alarm": {"kind": "jam", "deck": "blue", "device": "shoe", "state": state}}
    return Answer(seq, 1_800_000_000.0 + seq, 3, "alarm", output)


class Receiver:
    """What is posted, and how each post is answered: None takes it."""

    def __init__(self, *answers: NotTakenError | None) -> None:
        self.answers = list(answers)
        self.posts: list[Signed] = []
        self.waits: list[float] = []

    def post(self, signed: Signed) -> None:
        self.posts.append(signed)
        answer = self.answers.pop(0) if self.answers else None
        if answer is not None:
            raise answer

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    @property
    def entries(self) -> list[int]:
        return [json.loads(post.body)["entry"] for post in self.posts]


def feed_with(*answers: Answer, older: Callable[[int, int], list[Answer]] = lambda after, until: []) -> Feed:
    feed = Feed(older, lambda: 1_800_000_000.0)
    feed.record(NewAnswers((), missed_until=10))
    feed.record(NewAnswers(answers))
    return feed


def sent(
    feed: Feed, receiver: Receiver, folder: Path, until: int, news: Callable[[Sender], None] | None = None
) -> Deliveries:
    """Run a sender until so many posts have come and nothing more is to do; return what it tells people."""
    deliveries = Deliveries()
    deliveries.begin("https://cameras.example:8443/hook?token=secret")

    async def work() -> None:
        sender = Sender(
            feed, receiver.post, KEY, folder / "webhook.json", named,
            deliveries=deliveries, wall=lambda: 7.4, sleep=receiver.sleep,
        )  # fmt: skip
        sender.told(None)
        task = asyncio.create_task(sender.run())
        await asyncio.sleep(0)
        if news is not None:
            news(sender)
        while len(receiver.posts) < until:  # noqa: ASYNC110 - the posts come from a thread
            await asyncio.sleep(0.001)
        while _kept(folder) < feed.latest:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(asyncio.wait_for(work(), 60))
    return deliveries


def _kept(folder: Path) -> int:
    try:
        return int(json.loads((folder / "webhook.json").read_text())["entry"])
    except (OSError, ValueError):
        return 0


def begin_at(folder: Path, entry: int) -> None:
    (folder / "webhook.json").write_text(json.dumps({"entry": entry}))


def test_each_bookmark_is_posted_once_in_order_with_a_signature(tmp_path: Path) -> None:
    begin_at(tmp_path, 10)
    receiver = Receiver()
    sent(feed_with(alarm(11), alarm(12, "cleared"), alarm(13)), receiver, tmp_path, 2)
    assert receiver.entries == [11, 13]
    first = receiver.posts[0]
    assert json.loads(first.body) == {
        "table": "Table 7",
        "time": "2027-01-15T08:00:11.000+00:00",
        "begins": "2027-01-15T07:59:41.000+00:00",
        "ends": "2027-01-15T08:00:41.000+00:00",
        "kind": "alarm",
        "what": "Jam: shoe, blue deck",
        "seat": None,
        "round": None,
        "ruling": None,
        "entry": 11,
        "name": "jam",
    }
    expected = hmac.new(KEY, b"7." + first.body, "sha256").hexdigest()
    assert first.headers["X-Feltd-Signature"] == f"sha256={expected}"
    assert (first.headers["X-Feltd-Timestamp"], first.headers["X-Feltd-Entry"]) == ("7", "11")


def test_what_is_not_taken_is_posted_again_ever_later_and_nothing_overtakes_it(tmp_path: Path) -> None:
    begin_at(tmp_path, 10)
    receiver = Receiver(*[NotTakenError("no answer")] * 12)
    sent(feed_with(alarm(11), alarm(12)), receiver, tmp_path, 14)
    assert receiver.entries == [11] * 13 + [12]
    assert receiver.waits[:4] == [FIRST_WAIT, 2, 4, 8]
    assert max(receiver.waits) == LONGEST_WAIT


def test_what_is_refused_for_good_is_left_and_the_next_goes(tmp_path: Path) -> None:
    begin_at(tmp_path, 10)
    receiver = Receiver(NotTakenError("answers 400", lasting=True))
    sent(feed_with(alarm(11), alarm(12)), receiver, tmp_path, 2)
    assert receiver.entries == [11, 12]
    assert receiver.waits == []


def test_a_first_start_sends_what_comes_from_then_on(tmp_path: Path) -> None:
    receiver, feed = Receiver(), feed_with(alarm(11))

    def later(sender: Sender) -> None:
        feed.record(NewAnswers((alarm(12),)))
        sender.told(None)

    sent(feed, receiver, tmp_path, 1, later)
    assert receiver.entries == [12]


def test_a_start_goes_on_where_the_last_one_was_and_reads_the_record(tmp_path: Path) -> None:
    begin_at(tmp_path, 4)
    receiver = Receiver()
    older = [alarm(seq) for seq in range(1, 11)]
    feed = feed_with(alarm(11), older=lambda after, until: [one for one in older if after < one.seq <= until][:BATCH])
    sent(feed, receiver, tmp_path, 7)
    assert receiver.entries == [5, 6, 7, 8, 9, 10, 11]


def test_what_is_too_old_to_be_read_back_is_told_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    begin_at(tmp_path, 4)
    old = [Answer(5, 1.0, None, "alarm", alarm(5).output)]
    sent(feed_with(alarm(11), older=lambda after, until: old), Receiver(), tmp_path, 0)
    assert "entries 5 to 11 are too old to be sent" in caplog.text


def test_a_bookmark_of_an_answer_is_that_of_the_list(tmp_path: Path) -> None:
    page = recorded_page(tmp_path, rounds=2)
    page.bench.take(ShoeFault, kind="jam")
    page.bench.take(FloorCalled)
    asyncio.run(page.bench.synced())  # the index reads what is in the database
    index = index_of(page.bench.journal.path, tmp_path / "an.index")
    index.catch_up()
    listed = find_bookmarks(index, 0.0, 2e9).found

    async def told() -> list[Answer]:
        at, answers = 0, list[Answer]()
        while found := await page.feed.since(at):
            answers += found
            at = found[-1].seq
        return answers

    answers = asyncio.run(told())
    sent_ones = [one for one in map(bookmark_of, answers) if one is not None]
    assert sent_ones == [one for one in listed if one.entry >= sent_ones[0].entry]
    assert len(sent_ones) >= 2
    index.close()
    page.close()


# ---- what people are told


def test_what_was_taken_and_what_was_refused_is_told_without_the_secret_of_an_address(tmp_path: Path) -> None:
    begin_at(tmp_path, 10)
    receiver = Receiver(None, NotTakenError("cameras.example answers 400", lasting=True))
    told = sent(feed_with(alarm(11), alarm(12)), receiver, tmp_path, 2)
    assert (told.receiver, told.taken, told.taken_at) == ("https://cameras.example:8443", 11, 7.4)
    assert (told.waiting, told.refused, told.refused_last) == (None, 1, 12)
    words = " ".join(told.in_words())
    assert "left out, the last one entry 12: cameras.example answers 400" in words
    assert "secret" not in words


def test_what_waits_is_told_while_it_waits_and_no_longer(tmp_path: Path) -> None:
    begin_at(tmp_path, 10)
    during = list[str]()
    receiver = Receiver(NotTakenError("cameras.example: refused " + "x" * 2 * KEPT))
    deliveries = Deliveries()
    deliveries.begin("http://127.0.0.1/")

    async def looking(seconds: float) -> None:
        during.extend(deliveries.in_words())

    async def work() -> None:
        feed = feed_with(alarm(11))
        position = tmp_path / "webhook.json"
        sender = Sender(feed, receiver.post, KEY, position, named, deliveries=deliveries, sleep=looking)
        sender.told(None)
        task = asyncio.create_task(sender.run())
        while _kept(tmp_path) < 11:  # noqa: ASYNC110 - the posts come from a thread
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(asyncio.wait_for(work(), 60))
    assert any("Entry 11 has not been taken yet: cameras.example: refused x" in words for words in during)
    assert max(map(len, during)) < 2 * KEPT
    assert not any("not been taken yet" in words for words in deliveries.in_words())


def test_entries_that_are_too_old_are_told(tmp_path: Path) -> None:
    begin_at(tmp_path, 4)
    old = [Answer(5, 1.0, None, "alarm", alarm(5).output)]
    told = sent(feed_with(alarm(11), older=lambda after, until: old), Receiver(), tmp_path, 0)
    assert "Entries 5 to 11 are too old" in told.in_words()[-1]


def test_without_a_receiver_the_page_says_that_nobody_is_told() -> None:
    assert ["[page.webhook]" in words for words in Deliveries().in_words()] == [True]


# ---- over HTTP


@contextmanager
def listening(status: int) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A receiver on loopback that answers with this status."""
    got: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(status)
            self.send_header("location", "http://127.0.0.1:1/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's own name
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/bookmarks?from=7", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def poster(url: str) -> Poster:
    return Poster(url, None, SECTION)


def test_a_post_arrives_whole() -> None:
    with listening(204) as (url, got):
        poster(url).post(sign(KEY, b'{"entry": 3}', 3, 7.0))
    assert got == [("/bookmarks?from=7", b'{"entry": 3}')]


@pytest.mark.parametrize(("status", "lasting"), [(500, False), (429, False), (302, True), (400, True), (404, True)])
def test_what_a_receiver_answers_says_whether_it_is_tried_again(status: int, lasting: bool) -> None:
    with listening(status) as (url, got), pytest.raises(NotTakenError, match=f"answers {status}") as refused:
        poster(url).post(sign(KEY, b"{}", 3, 7.0))
    assert refused.value.lasting is lasting
    assert len(got) == 1  # nothing is followed


def test_nobody_there_is_tried_again() -> None:
    with listening(200) as (url, _):
        pass
    with pytest.raises(NotTakenError) as refused:
        poster(url).post(sign(KEY, b"{}", 3, 7.0))
    assert not refused.value.lasting


def test_https_is_not_spoken_with_somebody_who_cannot_prove_the_name(tmp_path: Path) -> None:
    with listening(200) as (url, got), pytest.raises(NotTakenError):
        poster(url.replace("http:", "https:")).post(sign(KEY, b"{}", 3, 7.0))
    assert got == []
    with pytest.raises(WebhookError, match="ca_file"):
        Poster("https://cameras.example/", tmp_path / "none.pem", SECTION)


# ---- its settings


@pytest.mark.parametrize("url", ["https://cameras.example/hook", "http://127.0.0.1:9000/hook", "http://localhost/"])
def test_an_address_is_taken(url: str) -> None:
    assert Webhook(url=url, key_file="/etc/feltd/webhook.key").url == url  # type: ignore[arg-type]  # as TOML has it


@pytest.mark.parametrize(
    "url", ["http://cameras.example/", "ftp://127.0.0.1/", "cameras", "https://a:b@cameras.example/", "https://h:x/"]
)
def test_an_address_is_a_fault_that_would_go_out_in_the_clear_or_is_none(url: str) -> None:
    with pytest.raises(ValueError, match=r"is no address|must begin with https|has a name"):
        Webhook(url=url, key_file="/etc/feltd/webhook.key")  # type: ignore[arg-type]  # as TOML has it


def test_check_tells_a_key_that_is_missing_short_or_everybodys(tmp_path: Path) -> None:
    file = tmp_path / "webhook.key"

    def faults(**more: object) -> list[str]:
        webhook = Webhook(url="https://c.example/", key_file=str(file), **more)  # type: ignore[arg-type]  # as TOML has it
        return [text for _, text in webhook_faults(webhook)]

    assert "make it: openssl rand" in faults()[0]
    file.write_bytes(b"short")
    assert "shorter than 32 bytes" in faults()[0]
    file.write_bytes(KEY)
    file.chmod(0o644)
    assert "everybody on this machine may read" in faults()[0]
    file.chmod(0o600)
    assert faults() == []
    assert faults(ca_file=str(tmp_path / "none.pem")) == [f"there is no file {tmp_path / 'none.pem'}"]


def test_a_key_is_read_without_the_end_of_its_line_and_a_bad_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "webhook.key"
    settings = WebhookSettings("http://127.0.0.1/", file)
    with pytest.raises(WebhookError, match="No such file"):
        sender_of(settings, feed_with(), tmp_path, named)
    file.write_bytes(b"short\n")
    with pytest.raises(WebhookError, match="32 bytes at least"):
        read_key(file, SECTION)
    file.write_bytes(KEY + b"\n")
    assert read_key(file, SECTION) == KEY
    assert isinstance(sender_of(settings, feed_with(), tmp_path, named), Sender)


def test_a_page_sends_what_its_table_answers_and_is_served_without_where_the_key_is_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "webhook.key"

    async def work(url: str, got: list[tuple[str, bytes]]) -> None:
        page = Page(tmp_path)
        page.bench.open_table()
        limits = limits_of(PageSection())
        settings = PageSettings(
            "Table 7", "127.0.0.1", 0, tmp_path / "accounts.json", tmp_path, limits,
            webhook=WebhookSettings(url, file),
        )  # fmt: skip
        assert begin_sending(settings, page.door, page.feed, page.deliveries) is None
        assert "no bookmark is sent: [page.webhook] key_file" in caplog.text
        assert "not sent to http://127.0.0.1" in page.deliveries.in_words()[0]
        file.write_bytes(KEY)
        sender = begin_sending(settings, page.door, page.feed)
        assert sender is not None
        task = asyncio.create_task(sender.run())
        await page.bench.synced()
        page.bench.take(FloorCalled)
        await page.bench.synced()
        while not got:  # noqa: ASYNC110 - it comes over a socket, from a thread
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        page.close()

    with listening(204) as (url, got):
        asyncio.run(asyncio.wait_for(work(url, got), 60))
    assert json.loads(got[0][1])["what"] == "Floor called"
