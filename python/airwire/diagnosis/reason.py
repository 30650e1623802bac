"""Why an image has no answer: what it does in the place of being on a network, in one sentence with what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Interface, ip_address

from airwire.board.model import UsbDevice
from airwire.board.network import Call
from airwire.board.virtual import Board, Console
from airwire.diagnosis.console_text import shown
from airwire.diagnosis.discover import Discovery
from airwire.diagnosis.identify import Identity
from airwire.diagnosis.inputs import Input, inputs_of
from airwire.explain.quantities import count, listed, time

_BOARD_FILE = "describe yours in a board file and give it with --board (docs/reference/boards.md says how to write one)"
_BUTTON = "give it one with a button in a board file (docs/reference/boards.md) and --board"
_TYPE = "airwire board run with --send types an answer"
_PLACES: Mapping[Console, str] = {
    "usb": "at its USB serial port",
    "uart1": "at UART1",
    "uart0": "at UART0",
    "rtt": "over RTT",
}
"""Where a console is, first those where an image that waits for input does so."""
_SERIAL, _NETWORK = "serial port", "network"
_MOST_TEXT = 60
_ENDS_OF_PROMPTS = ("$", "#", ">", "?", ":")
_ADDRESS = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_LAST_HOST = 254
_FULLY = 0.95
BROADCAST = "255.255.255.255"
_STOPPED = ("boot-loader", "locked-up", "breakpoint", "no-clock")
"""Reasons for which a run ends before its time, and which say all."""


def why_no_board(identity: Identity) -> str:
    """Why no board was found that an image is for."""
    bus = identity.bus
    used = Counter(gpio for _, gpio, _ in identity.bare.edges_by_gpio())
    if bus is not None and identity.chips:
        chip = identity.chips[0].chip
        return (
            f"it talks to a {chip.upper()} with SCK on {identity.pin(bus.sck)} and chip select on "
            f"{identity.pin(bus.select)}, and no board of Airwire's has that wiring; {_BOARD_FILE}"
        )
    if bus is not None:
        head = bus.transactions[0][:4].hex(" ")
        return (
            f"it talks over SPI (SCK on {identity.pin(bus.sck)}, chip select on {identity.pin(bus.select)}) to a "
            f"chip that is none of the modelled ones; its first bytes are {head}"
        )
    return f"it talks to no network chip: {_what_it_does(identity, used)}"


def why_not_on_network(found: Discovery) -> str:
    """Why an image that a board was found for has no address, or is not reached."""
    if found.run.reason in ("ended", *_STOPPED):
        # The clients that were to find it out are nobody's but ours.
        return f"{found.run.end}{_last_line(found.console)}"
    if found.run.fault is not None:
        return f"it faults on {found.board}: {found.run.fault.what} at {found.run.fault.place}"
    if not found.has_link:
        has_none = "chip on {} has no link" if found.run.radio is None else "radio on {} is in no network"
        what = f"its {has_none.format(found.board)} after {time(found.run.time_ps)}"
        return f"{what}{_last_line(found.console)}"
    if found.address is None:
        return _without_address(found)
    unanswered = unanswered_call(found.calls)
    if unanswered is not None:
        return unanswered
    silent = [service.port for service in found.services if service.speaks == "silent"]
    if silent:
        return (
            f"it is at {found.address}, calls nobody, answers no ping, and has {silent_ports(silent)}"
            f"{_last_line(found.console)}; name what it does with --traffic"
        )
    return (
        f"it is at {found.address}, but calls nobody, has none of the {found.tried.tcp} TCP and {found.tried.udp} UDP "
        f"ports open that were tried, and answers no ping{_last_line(found.console)}; name what it does with --traffic"
    )


def silent_ports(ports: Sequence[int]) -> str:
    """UDP ports that are open, and of which nobody could find out what they are for: ``UDP port 69 open, ...``."""
    named = listed([str(port) for port in ports])
    return (
        f"UDP port {named} open, which answers no datagram"
        if len(ports) == 1
        else (f"UDP ports {named} open, which answer no datagram")
    )


def _without_address(found: Discovery) -> str:
    """An address that is built in may be of another network than the virtual PC's, which asks for those of its own."""
    what = f"it has no address after {time(found.run.time_ps)} on {found.board}"
    pc = None if found.free_address is None else IPv4Interface(found.free_address)
    printed = None if pc is None else _address_elsewhere(found.console, pc)
    if pc is None or printed is None:
        return f"{what}{_last_line(found.console)}"
    beside = printed + 1 if printed.packed[-1] < _LAST_HOST else printed - 1
    return (
        f"{what} that the virtual PC reaches: it prints {printed}, and the PC is in {pc.network}; give the PC "
        f'address = "{beside}/24" in the table [pc] of a network file, and that file with --network'
    )


def _address_elsewhere(console: str, pc: IPv4Interface) -> IPv4Address | None:
    """The first address that an image prints and that is in no network of the PC's. Only those that nobody owns are
    looked at, which networks at home and documents have: other numbers of this form may be versions."""
    for text in _ADDRESS.findall(console):
        try:
            address = IPv4Address(text)
        except ValueError:
            continue
        is_of_a_host = address.is_private and not (address.is_loopback or address.is_unspecified or address.is_reserved)
        if is_of_a_host and address not in pc.network:
            return address
    return None


def is_of_the_network(call: Call) -> bool:
    """Whether nobody in particular is meant: a broadcast, as by DHCP, or a multicast, as by mDNS and IGMP."""
    return ip_address(call.address).is_multicast or call.address == BROADCAST


def call_in_vain(calls: Sequence[Call]) -> Call | None:
    """Whom the image calls in vain, most often of all; ``None`` where everybody answers."""
    vain = [call for call in calls if not call.answers and not is_of_the_network(call)]
    return max(vain, key=lambda call: call.asked, default=None)


def unanswered_call(calls: Sequence[Call], who: str = "it") -> str | None:
    """The same in a sentence about ``who`` calls, with what to do."""
    call = call_in_vain(calls)
    if call is None:
        return None
    what = "asks for a connection to" if call.over == "tcp" else "sends datagrams to"
    return (
        f"{who} {what} {call.address} port {call.port} ({count(call.asked, 'time')}), where the virtual PC has no "
        f"server; give it one, such as --traffic 'discard port={call.port}'"
    )


def _what_it_does(identity: Identity, used: Counter[int]) -> str:
    run, console = identity.run, identity.bare.console
    if run.reason == "ended":
        return f"{run.sentence}{_last_line(console)}"
    if run.fault is not None:
        return f"it faults, {run.fault.what} at {run.fault.place}"
    if run.reason in _STOPPED:
        return run.sentence
    device = identity.bare.usb_device
    networks = [] if device is None else [one for one in device.functions if one.startswith(_NETWORK)]
    if networks:
        return f"its {networks[0]} is on USB, where the virtual PC has no driver for it{_last_line(console)}"
    if console:
        return _at_a_console(identity.bare)
    if run.reason == "asleep":
        return _asleep(inputs_of(identity.bare))
    if device is not None and any(_SERIAL in one for one in device.functions):
        return (
            f"it has a USB serial port, and prints nothing there within {time(run.time_ps)}; if it waits for input, "
            f"{_TYPE}"
        )
    if device is not None:
        return _usb_device(device)
    inputs = inputs_of(identity.bare)
    # A pull moves a pin too, which is no doing of the image.
    moved = Counter({pin: count for pin, count in used.items() if pin not in [one.gpio for one in inputs]})
    if moved:
        pins = ", ".join(identity.pin(pin) for pin, _ in sorted(moved.most_common(3)))
        return f"it moves {pins}, and prints nothing within {time(run.time_ps)}"
    busiest = max(run.functions, key=lambda one: one.share, default=None)
    if busiest is not None and busiest.share >= _FULLY:
        stays = f"it stays in {busiest.name} for {time(run.time_ps)}, without moving a pin"
        return f"{stays}{_if_a_button(inputs)}"
    return f"it moves no pin and prints nothing within {time(run.time_ps)}{_if_a_button(inputs)}"


def _at_a_console(board: Board) -> str:
    """At the console that showed something: the USB serial port before a UART, and before what a debug probe reads."""
    name, place = next((name, place) for name, place in _PLACES.items() if board.console_of(name))
    text = board.console_of(name)
    prints = f"it prints {place}, last {_last_text(text)}"
    cursor_line = shown(text)[-1]
    if cursor_line.endswith(_ENDS_OF_PROMPTS):
        return f"it waits {place}, where it shows {_last_text(text)}; {_TYPE}"
    # Many print a line before the one that has been shown is over, and wait for nobody.
    return f"{prints}; if it waits for input there, {_TYPE}" if cursor_line else prints


def _usb_device(device: UsbDevice) -> str:
    name = "" if not device.product else f", {device.product!r}"
    has = f" ({listed(device.functions)})" if device.functions else ""
    return f"it is a USB device{name}{has}, and does what its host tells it"


def _asleep(inputs: Sequence[Input]) -> str:
    """Only a level from outside can end a sleep in which nothing on the chip does."""
    if inputs and inputs[0].interrupts:
        return f"it sleeps until the level changes at {inputs[0].words}; {_BUTTON}"
    return "it sleeps, and nothing that it has set up will wake it"


def _if_a_button(inputs: Sequence[Input]) -> str:
    """Where there is one input only it is the one that is waited for, if any is."""
    return f"; if it waits for a level at {inputs[0].words}, {_BUTTON}" if len(inputs) == 1 else ""


def _last_line(console: str) -> str:
    last = _last_text(console)
    if not last:
        return ""
    is_prompt = shown(console)[-1].endswith(_ENDS_OF_PROMPTS)
    return f"; the last that it prints is {last}{f'; if it waits for input there, {_TYPE}' if is_prompt else ''}"


def _last_text(console: str) -> str:
    """The last line that is shown, quoted; a long one from its beginning, with an ellipsis."""
    lines = [line for line in shown(console) if line]
    if not lines:
        return ""
    last = lines[-1]
    return repr(last) if len(last) <= _MOST_TEXT else f"{last[:_MOST_TEXT]!r} ..."
