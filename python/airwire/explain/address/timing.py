"""Causes that the samples alone betray: the shapes that the core sees in them, in words.

Some causes make the same shape. A verdict names all that it leaves open, and the test that would tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from airwire import _core
from airwire.address.row import AddressRow
from airwire.explain.address.gain import gain_without
from airwire.explain.quantities import count, percent, rough_time
from airwire.explain.verdict import Verdict
from airwire.model import Capture

if TYPE_CHECKING:
    from airwire._core import RawShape
    from airwire.kinds import Shape

CLIENTS = ("pingpong", "http", "ping")
"""Whose samples are exchanges, from a request to its answer."""

POLL = "poll_period"
POWER_SAVE = "wifi_power_save"
LWIP_TIMER = "lwip_timer"
OWN_TIMER = "own_timer"
POLL_OR_TIMER = "poll_or_timer"
NAGLE = "nagle"
PIECES = "pieces"
RETRANSMISSION = "retransmission"
CONNECTION = "connection"

_SAME = 0.01
# lwIP opt.h: TCP_TMR_INTERVAL.
_LWIP_TIMER_PS = 250e9
# IEEE 802.11-2020, 9.4.1.3: time units of 1024 us; access points default to 100 of them. A DTIM is a few beacons.
_BEACON_PS = 102.4e9
_BEACON_SAME = 0.005
_MOST_BEACONS = 10
# Linux include/net/tcp.h: TCP_DELACK_MIN is 40 ms, TCP_DELACK_MAX 200 ms; both end with the next tick of the kernel.
_DELAYED_ACKNOWLEDGEMENTS = ((36e9, 49e9, "40 ms"), (190e9, 225e9, "200 ms"))
_PROVES = 0.4
_PACKETS = "airwire explain RUN --packets FILE, with a recording of tcpdump or Wireshark, tells them apart."


def timing_verdicts(row: Capture[AddressRow]) -> list[Verdict]:
    """A verdict for each cause that samples betray, the largest share first; none of servers and transfers."""
    client = row.target.traffic.split(" ")[0]
    if client not in CLIENTS or row.target.unit == "bit/s":
        return []
    columns = ("trigger_ps", "connect_ps", "first_byte_ps", "done_ps")
    paired = row.samples.filter(row.samples["done_ps"].is_not_null()).select(columns)
    floor = row.target.floor
    seen = _core.outside_shapes(paired.rows(), None if floor is None else floor.median_ps)
    return [_WORDS[one["shape"]](one, row) for one in seen]


def _grid(seen: RawShape, row: Capture[AddressRow]) -> Verdict:
    period, period_ps = rough_time(seen["period_ps"]), seen["period_ps"]
    gain, details = gain_without(row, seen["share"]), list(_of_grid(seen))
    beacons = round(period_ps / _BEACON_PS)
    if 1 <= beacons <= _MOST_BEACONS and abs(period_ps / beacons / _BEACON_PS - 1) < _BEACON_SAME:
        which = "beacon" if beacons == 1 else f"DTIM, one in {beacons} beacons"
        details.append(
            f"A poll of {period} would look the same: if the grid goes when power save is off, it was Wi-Fi's."
        )
        cause = f"waits for Wi-Fi's next {which}, every {period}"
        return Verdict(seen["share"], cause, POWER_SAVE, "switch the board's power save off", gain, details)
    if abs(period_ps / _LWIP_TIMER_PS - 1) < _SAME:
        details.append("A poll of 250 ms would look the same; the firmware's source tells.")
        change = "call tcp_output() after tcp_write()"
        return Verdict(seen["share"], "waits for lwIP's 250 ms timer", LWIP_TIMER, change, gain, details)
    details.append("A poll for requests and a tick at which answers leave look the same from outside.")
    cause = f"waits for the board's next poll or tick, every {period}"
    return Verdict(seen["share"], cause, POLL, "wake on the event", gain, details)


def _of_grid(seen: RawShape) -> Iterator[str]:
    number = _numbers(seen)
    yield (
        f"Answers are whole periods of {rough_time(seen['period_ps'])} apart, to {rough_time(number['spread_ps'])}; "
        f"requests are not (agreement {number['agreement_of_answers']:.2f} against "
        f"{number['agreement_of_requests']:.2f}; 1 is a grid)."
    )
    if number["beat_ps"] > 0:
        beat = rough_time(number["beat_ps"])
        yield f"The latency is a sawtooth: a steady request meets the same phase again after {beat}."
    elif number["pause_range_ps"] >= _PROVES * seen["period_ps"]:
        yield (
            f"Pauses before requests ranged over {rough_time(number['pause_range_ps'])}, and answers stayed on "
            "the grid: that proves the period."
        )
    yield f"Messages took from {rough_time(number['shortest_ps'])} to {rough_time(number['longest_ps'])}."


def _hold(seen: RawShape, row: Capture[AddressRow]) -> Verdict:
    number, held = _numbers(seen), rough_time(seen["period_ps"])
    details = [
        f"Pauses before requests ranged over {rough_time(number['pause_range_ps'])}, and two in three answers took "
        f"{held}, within {rough_time(number['width_ps'])}: the time starts with the request, so that it is no poll.",
        f"The way there and back takes {rough_time(number['way_ps'])}.",
        "Work that always takes that long looks the same: toggle a pin around it.",
    ]
    cause = f"is a timer of the board's own, {held} from each request"
    change = "answer when the request arrives, without a sleep"
    return Verdict(seen["share"], cause, OWN_TIMER, change, gain_without(row, seen["share"]), details)


def _grid_or_hold(seen: RawShape, row: Capture[AddressRow]) -> Verdict:
    number = _numbers(seen)
    held, interval = rough_time(seen["period_ps"]), rough_time(number["interval_ps"])
    poll = f"a poll every {interval}"
    if abs(number["interval_ps"] / _LWIP_TIMER_PS - 1) < _SAME:
        poll = "lwIP's 250 ms timer"
    elif abs(number["interval_ps"] / _BEACON_PS - 1) < _SAME:
        poll = f"Wi-Fi's beacon or a poll every {interval}"
    dither = f"{2 * seen['period_ps'] / 1e9:.0f}ms"
    details = [
        f"Answers take {held}, within {rough_time(number['width_ps'])}, and the way there and back "
        f"{rough_time(number['way_ps'])}.",
        "Each request follows the answer before it at the same distance, so that a period and a timer look the same.",
    ]
    cause = f"waits for {poll}, or for a timer of {held} that starts with the request"
    change = f"probe pingpong with --set dither={dither}, which tells which"
    return Verdict(seen["share"], cause, POLL_OR_TIMER, change, gain_without(row, seen["share"]), details)


def _late_rest(seen: RawShape, row: Capture[AddressRow]) -> Verdict:
    number = _numbers(seen)
    own_ps = seen["period_ps"] - number["way_ps"]
    gain = gain_without(row, seen["share"], of_all=True)
    late = f"In {percent(number['late_share'])} of the messages the rest came {rough_time(seen['period_ps'])} late"
    name = next((name for least, most, name in _DELAYED_ACKNOWLEDGEMENTS if least <= own_ps <= most), None)
    if name is None:
        cause = f"waits for the rest of the answer, {rough_time(seen['period_ps'])} after its first byte"
        details = [
            f"{late}.",
            "No usual delay of an acknowledgement is that long: the board pauses between its writes.",
        ]
        return Verdict(seen["share"], cause, PIECES, "write the answer in one piece", gain, details)
    details = [
        f"{late}, which is how long this computer delays an acknowledgement ({name}).",
        f"A board that pauses as long between two writes looks the same: {_PACKETS}",
    ]
    cause = f"waits for a delayed acknowledgement of {name}, since the board holds its rest back (Nagle's algorithm)"
    return Verdict(
        seen["share"], cause, NAGLE, "write the answer at once, or set TCP_NODELAY on the board", gain, details
    )


def _back_off(seen: RawShape, row: Capture[AddressRow]) -> Verdict:
    number, quantum = _numbers(seen), rough_time(seen["period_ps"])
    slow, messages = number["slow_messages"], number["messages"]
    details = [
        f"{count(slow, 'message')} of {messages:.0f} took {quantum} longer than the others, or a sum of time-outs that "
        f"double; half of all took no more than {rough_time(number['usual_ps'])}."
    ]
    if number["beyond_the_first"] > 0:
        details.append(f"{count(number['beyond_the_first'], 'message')} waited for more than one time-out.")
    else:
        details.append(
            f"None waited for a second one, so that a board which stops for {quantum} looks the same: {_PACKETS}"
        )
    cause = f"waits for retransmission time-outs of {quantum} that double"
    change = "look for what loses packets: signal, cable, receive buffers"
    gain = gain_without(row, seen["share"], of_all=True)
    return Verdict(seen["share"], cause, RETRANSMISSION, change, gain, details)


def _opening(seen: RawShape, row: Capture[AddressRow]) -> Verdict:
    number = _numbers(seen)
    details = [f"{number['openings']:.0f} of {number['messages']:.0f} messages opened a connection of their own."]
    cause = f"opens a connection for each message, {rough_time(seen['period_ps'])}"
    change = "keep the connection open (HTTP/1.1 keep-alive)"
    return Verdict(seen["share"], cause, CONNECTION, change, gain_without(row, seen["share"]), details)


def _numbers(seen: RawShape) -> dict[str, float]:
    return {name: value for name, value in seen["evidence"].items() if not isinstance(value, list)}


_WORDS: Mapping[Shape, Callable[[RawShape, Capture[AddressRow]], Verdict]] = {
    "grid": _grid,
    "hold": _hold,
    "grid_or_hold": _grid_or_hold,
    "late_rest": _late_rest,
    "back_off": _back_off,
    "opening": _opening,
}
