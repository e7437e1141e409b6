"""PROTOCOL.md states the numbers that the code obeys."""

from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge import limits
from firmware_bridge.messages import CloseReason, Kind
from firmware_bridge.reject import RejectCode

PAGE = " ".join(Path(firmware_bridge.__file__).with_name("PROTOCOL.md").read_text().split())


@pytest.mark.parametrize(
    "sentence",
    [
        f"versions {limits.PROTOCOL_MIN} and {limits.PROTOCOL_MAX} For people",
        f"At most **{limits.FRAME_MAX} bytes** altogether",
        f"at most {limits.ENCODED_MAX} bytes then",
        f"is longer than {limits.ENCODED_MAX} bytes",
        f"| 0 … {limits.BODY_MAX} | body |",
        f"shorter than {limits.FRAME_OVERHEAD} bytes",
        f"At most **{limits.MESSAGE_MAX} bytes**",
        f"At most {limits.REJECT_MAX} bytes",
        f"**Key**: {limits.KEY_SIZE} random bytes",
        f"nested deeper than {limits.DEPTH_MAX} (",
        f"keys of 1 … {limits.NAME_MAX} bytes",
        f"1 role (text 1 … {limits.ROLE_MAX}); 2 serial number (text 1 … {limits.SERIAL_MAX});",
        f"3 firmware (text 0 … {limits.FIRMWARE_MAX})",
        f"boot id ({limits.BOOT_ID_SIZE} bytes)",
        f"commands it takes at once (1 … {limits.COMMANDS_IN_FLIGHT_MAX})",
        f"window (1 … {limits.WINDOW_MAX})",
        f"code (text 1 … {limits.CODE_MAX}) and 4 text for people (0 … {limits.TEXT_MAX})",
        f"window (host grants {limits.WINDOW})",
        f"at most {limits.COMMANDS_QUEUED_MAX} behind them",
        f"| posts | {limits.POST_NAMES_MAX} names",
        f"A store SHOULD hold {limits.PENDING_CAPACITY} events",
        f"from {limits.CONGESTED_ABOVE // 1024} KiB on",
        f"at {limits.STALLED_ABOVE // 1024} KiB the session ends",
        f"waits for the handshake answer | {limits.HANDSHAKE_TIMEOUT:g} |",
        f"waits for `welcome` after its answer | {limits.WELCOME_TIMEOUT:g} |",
        f"the device answers at once | every {limits.PING_INTERVAL:g} |",
        f"first directly after `welcome` | every {limits.STATUS_INTERVAL:g} |",
        f"the session is over | {limits.SILENCE:g} |",
        f"or acknowledgement sent | {limits.STATE_TIMEOUT:g} |",
        f"answers a `command` | within {limits.COMMAND_TIMEOUT:g} |",
        f"from the first after a session that came up | {limits.BACKOFF_FIRST:g} … {limits.BACKOFF_CAP:g} |",
    ],
)
def test_the_page_states_the_number(sentence: str) -> None:
    assert sentence in PAGE


def test_the_page_lists_every_message_reason_and_code() -> None:
    for kind in Kind:
        assert f"| {kind.value} | `{kind.name.lower()}` |" in PAGE
    reasons = PAGE.split("**Close reasons**: ")[1].split(". After")[0].split("; ")
    assert [int(part.split()[0]) for part in reasons] == [reason.value for reason in CloseReason]
    codes = PAGE.split("| 1 | code: ")[1].split(" |")[0].split("; ")
    assert [int(part.split()[0]) for part in codes] == [code.value for code in RejectCode]
