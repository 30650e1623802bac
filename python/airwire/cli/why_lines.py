"""What ``airwire why`` prints: at most ten lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from airwire.board.network import Service
from airwire.board.row import BoardRow
from airwire.cli.tables import console
from airwire.explain.board.figures import figure_text, quantity
from airwire.explain.board.floor import floor_of
from airwire.explain.quantities import count, rough_time
from airwire.explain.verdicts import verdicts_of
from airwire.kinds import Speaks
from airwire.model import Capture
from airwire.why.answer import Answer
from airwire.why.discover import Discovery

_MOST_CAUSES = 3
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
}
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
}


def print_answer(answer: Answer, other: Answer | None, written: Sequence[Path]) -> None:
    """The lines, without the reason of an image that has no figure: that is a complaint."""
    out = console()
    for line in _lines(answer, other, written):
        out.print(line, soft_wrap=True)


def _lines(answer: Answer, other: Answer | None, written: Sequence[Path]) -> Iterator[Text]:
    name = Path(answer.image).name
    if answer.found is not None and answer.row is not None:
        yield Text.assemble((name, "bold"), f" on {_board(answer)}: {does(answer.found)}")
        yield Text(_figure(answer.row))
        for verdict in verdicts_of(answer.row)[:_MOST_CAUSES]:
            yield Text(f"  {verdict.line}")
        if other is not None and other.row is not None:
            yield Text(_compared(name, answer.row, Path(other.image).name, other.row))
    for path in written:
        yield Text(f"Report: {path}")
    if answer.row is not None:
        yield Text(_next(answer, written), style="dim")


def _board(answer: Answer) -> str:
    found = "given" if answer.board_was_given else "found from its SPI"
    return f"{answer.board} ({found})"


def does(found: Discovery) -> str:
    """What an image does on its network: ``it serves HTTP on port 80 and answers pings, 2.6 s after power-on``."""
    parts = [_SERVED[one.kind] for one in found.called[:1] if one.kind in _SERVED]
    services = [_service(service) for service in found.services[:3]]
    if services:
        parts.append(f"serves {', '.join(services)}")
    if found.answers_ping:
        parts.append("answers pings")
    ready = "" if found.ready_ps is None else f", ready {rough_time(found.ready_ps)} after power-on"
    said = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"it {said} at {found.address}{ready}."


def _service(service: Service) -> str:
    return f"{_SPOKEN[service.speaks]} on port {service.port}"


def _figure(row: Capture[BoardRow]) -> str:
    board = row.target
    if board.figure is None:
        return f"No figure: {board.problem}."
    said = f"Simulated: {figure_text(board.figure)} over {count(board.figure.n, 'message')}"
    floor = floor_of(row)
    if floor is None or floor.ps <= 0:
        return f"{said}."
    return f"{said}; {rough_time(floor.message_ps)} a message, of which {rough_time(floor.ps)} is the floor."


def _compared(name: str, row: Capture[BoardRow], other_name: str, other: Capture[BoardRow]) -> str:
    own, theirs = row.target.figure, other.target.figure
    if own is None or theirs is None or own.unit != theirs.unit or not theirs.value or not own.value:
        return f"{name} and {other_name} do different things, which are not compared."
    better = own.value < theirs.value if own.unit == "ps" else own.value > theirs.value
    factor = max(own.value / theirs.value, theirs.value / own.value)
    both = f"{quantity(own.value, own.unit)} against {quantity(theirs.value, theirs.unit)}"
    return f"{name} is {factor:.3g} times {'faster' if better else 'slower'} than {other_name}: {both}."


def _next(answer: Answer, written: Sequence[Path]) -> str:
    image = answer.image
    if not written:
        return f"Next: airwire why {image} --report why.html   airwire board profile {image} --board {answer.board}"
    return f"Next: airwire board profile {image} --board {answer.board} --flame flame.svg"
