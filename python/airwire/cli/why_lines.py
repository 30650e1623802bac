"""What ``airwire why`` prints: at most ten lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from airwire.board.catalogue import describe_board
from airwire.board.network import Call, Service
from airwire.board.row import BULK, BoardRow
from airwire.cli.tables import console
from airwire.diagnosis.answer import Answer
from airwire.diagnosis.ask import is_iperf
from airwire.diagnosis.discover import Discovery
from airwire.diagnosis.identify import PHYS, USB_NETWORK
from airwire.diagnosis.reason import BROADCAST, call_in_vain, silent_ports, unanswered_call
from airwire.explain.board.answers import error_answers_sentence, lost_sentence
from airwire.explain.board.figures import figure_text, number, quantity
from airwire.explain.board.floor import floor_of
from airwire.explain.quantities import listed, rough_time
from airwire.explain.verdicts import verdicts_of
from airwire.explain.waterfall import board_waterfalls
from airwire.kinds import Speaks
from airwire.model import Capture

_MOST_CAUSES = 3
# Ports of UDP (IANA): what an image asks or gives there on its way, and what it does not.
_DHCP = (67, 68)
_NTP = 123
_MOST_SERVICES = 3
# What one message is called. The latency of an image that is asked nothing else is that of pings.
_ONE_OF = {"requests": "request", "latency": "ping"}
_AT_THE_FLOOR = 0.99
# Where the traced messages are further from the mean than this, the rate is not theirs.
_DIFFERENT = 0.1
# Figures end within 2 % either way.
_ALIKE = 0.02
_SPOKEN: dict[Speaks, str] = {
    "http": "HTTP",
    "echo": "echo",
    "counter": "a ping-pong of numbers",
    "counter_lines": "a ping-pong of numbers in lines",
    "source": "a stream of bytes",
    "greeting": "a greeting",
    "text": "a text protocol",
    "sink": "a sink of bytes",
    "closes": "nothing: it hangs up",
    "refuses": "nothing: it refuses the second connection",
    "silent": "nothing",
}
_FOUND_FROM = {**dict.fromkeys(PHYS, "what it asks its PHY"), USB_NETWORK: "the network that it offers on USB"}
_SERVED = {
    "pingpong-server": "plays ping-pong with the PC",
    "mqtt": "talks to the PC's MQTT broker",
    "coap": "asks the PC's CoAP server",
    "echo": "talks to the PC's echo server",
    "discard": "sends to the PC's discard server",
    "chargen": "reads from the PC's chargen server",
    "http-server": "asks the PC's HTTP server",
    "bulk-server": "sends to the PC's bulk server",
    "iperf-server": "runs iperf to the PC",
    "iperf-udp-server": "runs iperf over UDP to the PC",
    "iperf3-server": "runs iperf 3 to the PC",
    "udp-server": "plays ping-pong over UDP with the PC",
    "ws-server": "talks to the PC's WebSocket server",
}


def print_answer(answer: Answer, other: Answer | None, written: Sequence[Path]) -> None:
    """The lines, without the reason of an image that has no figure: that is a complaint."""
    out = console()
    for line in _lines(answer, other, written):
        out.print(line, soft_wrap=True)


def _lines(answer: Answer, other: Answer | None, written: Sequence[Path]) -> Iterator[Text]:
    name = Path(answer.image).name
    if answer.found is None or answer.row is None:
        return
    yield Text.assemble((name, "bold"), f" on {_board(answer)}{_ready(answer.found)}.")
    what = does(answer.found)
    if what:
        yield Text(f"It {what}.")
    if answer.row.target.figure is not None:
        yield Text(_figure(answer.row))
        lost = lost_sentence(answer.row)
        if lost is not None:
            yield Text(lost)
        errors = error_answers_sentence(answer.row)
        if errors is not None:
            name_a_page = " Name a page with --traffic 'http to=board path=/index.html'."
            yield Text(f"{errors}{name_a_page if answer.question and answer.question.traffic else ''}")
        for verdict in verdicts_of(answer.row)[:_MOST_CAUSES]:
            yield Text(f"  {verdict.line}")
    calls = answer.found.calls
    vain = unanswered_call(calls)
    if vain is not None and not answer.found.called and not _is_served(answer, call_in_vain(calls)):
        yield Text(f"{vain[0].upper()}{vain[1:]}.")
    if other is not None and other.row is not None:
        yield Text(_compared(answer, answer.row, other, other.row))
    yield from (Text(f"Report: {path}") for path in written)
    yield from (Text(line, style="dim") for line in _next(answer, written))


def _is_served(answer: Answer, call: Call | None) -> bool:
    """Whether the traffic that is measured has a server at the port of a call."""
    options = [] if answer.question is None else [one for line in answer.question.traffic for one in line.split()]
    return call is not None and f"port={call.port}" in options


def _board(answer: Answer) -> str:
    if answer.board is None or answer.board_was_given:
        return answer.board or ""
    kinds = {chip.kind for chip in describe_board(answer.board).chips}
    found_from = next((words for kind, words in _FOUND_FROM.items() if kind in kinds), "its SPI")
    return f"{answer.board}, found from {found_from}"


def _ready(found: Discovery) -> str:
    ready = "" if found.ready_ps is None else f", {rough_time(found.ready_ps)} after power-on"
    return f"; at {found.address}{ready}"


def does(found: Discovery) -> str:
    """What an image does on its network: ``serves HTTP on port 80 and answers pings``."""
    parts = [_SERVED[one.kind] for one in found.called[:1] if one.kind in _SERVED]
    services = [service for service in found.services if service.speaks != "silent"]
    if services:
        more = len(services) - _MOST_SERVICES
        named = [_service(service) for service in services[:_MOST_SERVICES]]
        parts.append(f"serves {', '.join([*named, *([f'{more} more'] if more > 0 else [])])}")
    silent = [service.port for service in found.services if service.speaks == "silent"]
    if silent:
        parts.append(f"has {silent_ports(silent)}")
    parts.extend(_said_to_all(found.calls))
    if any(call.over == "udp" and call.port == _NTP and call.answers for call in found.calls):
        parts.append("asks the PC for the time")
    if found.answers_ping:
        parts.append("answers pings")
    return listed(parts)


def _said_to_all(calls: Sequence[Call]) -> Iterator[str]:
    """What an image says to everybody: broadcasts, but for those by which it gets its address."""
    ports = sorted({call.port for call in calls if call.address == BROADCAST and call.port not in _DHCP})
    if ports:
        named = ", ".join(f"{port}" for port in ports[:_MOST_SERVICES])
        more = f" and {len(ports) - _MOST_SERVICES} more" if len(ports) > _MOST_SERVICES else ""
        yield f"sends datagrams to everybody at port {named}{more}"


def _service(service: Service) -> str:
    if is_iperf(service):
        return f"iperf on port {service.port}"
    kind = "UDP port" if service.over == "udp" else "port"
    return f"{_SPOKEN[service.speaks]} on {kind} {service.port}"


def _figure(row: Capture[BoardRow]) -> str:
    figure = row.target.figure
    assert figure is not None, "a row without a figure has no line"
    one = _ONE_OF.get(row.target.measure, "message")
    # One exchange has a time, and no rate at which others would follow.
    is_rate_of_one = figure.n == 1 and figure.unit != "ps"
    said = f"Simulated: one {one}" if is_rate_of_one else f"Simulated: {figure_text(figure)}, n = {figure.n}"
    floor = floor_of(row)
    spread = _spread(row, one)
    if floor is None or floor.ps <= 0:
        return f"{said}. {spread}." if spread else f"{said}."
    pc = f" (the PC {rough_time(floor.pc_ps)})" if floor.pc_ps > 0 else ""
    if spread:
        return f"{said}. {spread}{pc}; their floor is {rough_time(floor.ps)}."
    takes = f"{said}. A {one} takes {rough_time(floor.message_ps)}{pc}"
    if floor.share >= _AT_THE_FLOOR:
        return f"{takes}; that is its floor."
    return f"{takes}; its floor is {rough_time(floor.ps)}."


def _spread(row: Capture[BoardRow], one: str) -> str | None:
    """What messages take where they are so different that those near the median say nothing of the rate."""
    figure, latency = row.target.figure, row.latency_ps
    if figure is None or figure.unit == "ps" or latency is None or row.target.measure == BULK:
        return None
    mean, traced = latency["mean"], board_waterfalls(row, percentiles=(50,))
    if not traced or abs(traced[0].total_ps / mean - 1) <= _DIFFERENT:
        return None
    low, high = rough_time(latency["min"]), rough_time(latency["max"])
    return f"{one.capitalize()}s take {low} to {high}, {rough_time(mean)} on average"


def _compared(answer: Answer, row: Capture[BoardRow], other: Answer, theirs: Capture[BoardRow]) -> str:
    (name, other_name), figure, than = _told_apart(answer, other), row.target.figure, theirs.target.figure
    if figure is None or than is None or figure.unit != than.unit or not than.value or not figure.value:
        return f"{name} and {other_name} do different things, which cannot be compared."
    better = figure.value < than.value if figure.unit == "ps" else figure.value > than.value
    factor = max(figure.value / than.value, than.value / figure.value)
    both = f"{quantity(figure.value, figure.unit)} against {quantity(than.value, than.unit)}"
    if factor - 1 < _ALIKE:
        return f"{name} is as fast as {other_name}: {both}."
    return f"{name} is {number(factor, 3)} times {'faster' if better else 'slower'} than {other_name}: {both}."


def _told_apart(answer: Answer, other: Answer) -> tuple[str, str]:
    """The names of two images, with their folders where the files have one name."""
    own, theirs = Path(answer.image), Path(other.image)
    if own.name != theirs.name:
        return own.name, theirs.name
    return f"{own.parent.name}/{own.name}", f"{theirs.parent.name}/{theirs.name}"


def _next(answer: Answer, written: Sequence[Path]) -> Iterator[str]:
    if not written:
        yield f"Next: airwire why {answer.image} --report why.html"
    yield f"{'Next:' if written else '     '} airwire board profile {answer.image} --board {answer.board}"
