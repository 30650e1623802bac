"""What sigrok-cli complains of, as a sentence that says what to do. Its own words, never translated, are the key."""

from __future__ import annotations

import re
from collections.abc import Callable

from airwire.instruments.base import Wanted

_NOT_CONTINUOUS = "does not support continuous sampling"
# As libusb, libserialport and Linux say it.
_NO_PERMISSION = re.compile(
    r"LIBUSB_ERROR_ACCESS|Permission denied|Access denied|insufficient permissions", re.IGNORECASE
)
_IN_USE = re.compile(r"LIBUSB_ERROR_BUSY|already claimed|Device or resource busy|Resource busy", re.IGNORECASE)
_UNPLUGGED = re.compile(r"has been disconnected|LIBUSB_ERROR_NO_DEVICE|No such device", re.IGNORECASE)

_Words = Callable[[str, Wanted, "re.Match[str]"], str]


def _with_place(text: str) -> _Words:
    return lambda place, _wanted, _match: f"sigrok:{place}: {text}".replace("PLACE", place)


_SENTENCES: tuple[tuple[re.Pattern[str], _Words], ...] = (
    (
        _NO_PERMISSION,
        _with_place(
            "this user may not open the device; install sigrok's udev rules (libsigrok's 60-libsigrok.rules), or join "
            "the group that its device file belongs to, and plug it in again"
        ),
    ),
    (_IN_USE, _with_place("another program uses the device; end that program (PulseView, Logic 2, a terminal)")),
    (_UNPLUGGED, _with_place("the device was unplugged; plug it in again")),
    (
        re.compile(r"^Driver (\S+) not found", re.MULTILINE),
        lambda _place, _wanted, match: f"sigrok has no driver {match[1]}; sigrok-cli -L lists the drivers",
    ),
    (
        re.compile(r"No devices found|No real devices found"),
        _with_place(
            "the driver finds no device; plug it in, see whether sigrok-cli --scan lists it, or say where it is: "
            "sigrok:PLACE:conn=..."
        ),
    ),
    (
        re.compile(r"unknown channel '([^']*)'", re.IGNORECASE),
        lambda place, _wanted, match: (
            f"sigrok:{place}: there is no channel {match[1]}; sigrok-cli --driver {place} --show lists the channels"
        ),
    ),
    (
        re.compile(r"(?:option|configure|set).*samplerate", re.IGNORECASE),
        lambda place, wanted, _match: (
            f"sigrok:{place}: the device does not sample at {wanted.sample_rate_hz} Hz; "
            f"sigrok-cli --driver {place} --show lists its rates"
        ),
    ),
    (
        re.compile(r"Unknown device option '([^']*)'"),
        lambda place, _wanted, match: f"sigrok:{place}: the driver takes no option {match[1]}; leave it out",
    ),
)


def is_not_continuous(said: str) -> bool:
    """Whether the device cannot sample without end."""
    return _NOT_CONTINUOUS in said


def sentence(place: str, said: str, wanted: Wanted, is_file: bool) -> str:
    """Why sigrok-cli ended, and what to do."""
    found = ((words, pattern.search(said)) for pattern, words in _SENTENCES)
    known = next((words(place, wanted, match) for words, match in found if match is not None), None)
    if is_file and (known is None or "channel" not in known):
        return f"{place}: sigrok-cli cannot read this file: {_last(said)}; give one that PulseView opens"
    if is_file and known is not None:
        return known.replace("sigrok:", "", 1).replace("--driver", "--input-file")
    return (
        known
        or f"sigrok:{place}: sigrok-cli ended: {_last(said)}; try it by itself: sigrok-cli --driver {place} --scan"
    )


def _last(said: str) -> str:
    lines = [line.strip().removeprefix("Error: ").rstrip(".") for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "it says no reason"
