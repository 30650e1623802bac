"""Why an image has no answer: what it does in the place of being on a network, in one sentence with what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from airwire.diagnosis.discover import Discovery
from airwire.diagnosis.identify import Identity
from airwire.explain.quantities import count, time

# The radio of a Pico W (Pico W datasheet, schematic): power, data, chip select and clock.
_RADIO_PINS = (23, 24, 25, 29)
_RADIO_BUS = (29, 25)
_MOST_TEXT = 60
_FULLY = 0.95


def why_no_board(identity: Identity) -> str:
    """Why no board was found that an image is for."""
    bus = identity.bus
    used = Counter(gpio for _, gpio, _ in identity.bare.edges_by_gpio())
    if all(used[pin] for pin in _RADIO_PINS) or (bus is not None and (bus.sck, bus.select) == _RADIO_BUS):
        return "it talks to the radio of a Pico W (GP23, 24, 25 and 29), which no virtual board has yet"
    if bus is not None and identity.chips:
        chip = identity.chips[0].chip
        return (
            f"it talks to a {chip.upper()} with SCK on GP{bus.sck} and chip select on GP{bus.select}, and no board of "
            "Airwire's has that wiring; describe yours in a board file and give it with --board"
        )
    if bus is not None:
        head = bus.transactions[0][:4].hex(" ")
        return (
            f"it talks over SPI (SCK on GP{bus.sck}, chip select on GP{bus.select}) to a chip that is none of the "
            f"modelled ones; its first bytes are {head}"
        )
    return f"it talks to no network chip: {_what_it_does(identity, used)}"


def why_not_on_network(found: Discovery) -> str:
    """Why an image that a board was found for has no address, or is not reached."""
    if found.run.fault is not None:
        return f"it faults on {found.board}: {found.run.fault.what} at {found.run.fault.place}"
    if not found.has_link:
        return f"its chip on {found.board} has no link after {time(found.run.time_ps)}{_last_line(found.console)}"
    if found.address is None:
        return f"it has no address after {time(found.run.time_ps)} on {found.board}{_last_line(found.console)}"
    unanswered = unanswered_call(found)
    if unanswered is not None:
        return unanswered
    return (
        f"it is at {found.address}, but calls nobody, has no port open that is known, and answers no ping"
        f"{_last_line(found.console)}; name what it does with --traffic"
    )


def unanswered_call(found: Discovery) -> str | None:
    """Whom the image calls in vain, most often of all; ``None`` where everybody answers."""
    calls = [call for call in found.calls if not call.answers]
    if not calls:
        return None
    call = max(calls, key=lambda call: call.asked)
    what = "asks for a connection to" if call.over == "tcp" else "sends datagrams to"
    return (
        f"it {what} {call.address} port {call.port} ({count(call.asked, 'time')}), where the virtual PC has no server; "
        f"give it one, such as --traffic 'discard port={call.port}'"
    )


def _what_it_does(identity: Identity, used: Counter[int]) -> str:
    run, console = identity.run, identity.bare.console
    if run.fault is not None:
        return f"it faults, {run.fault.what} at {run.fault.place}"
    if run.reason in ("ended", "boot-loader", "locked-up", "breakpoint"):
        return run.sentence
    if console:
        last = _last_text(console)
        waits = not console.endswith(("\n", "\r"))
        return f"it waits at a console that shows {last!r}" if waits else f"it prints, last {last!r}"
    if run.reason == "asleep":
        return "it sleeps, and nothing that it has set up will wake it"
    device = identity.bare.usb_device
    if device is not None and device.product:
        return f"it is a USB device, {device.product!r}, and does what its host tells it"
    if used:
        pins = ", ".join(f"GP{pin}" for pin, _ in sorted(used.most_common(3)))
        return f"it moves {pins}, and prints nothing within {time(run.time_ps)}"
    busiest = max(run.functions, key=lambda one: one.share, default=None)
    if busiest is not None and busiest.share >= _FULLY:
        return f"it stays in {busiest.name} for {time(run.time_ps)}, without moving a pin"
    return f"it moves no pin and prints nothing within {time(run.time_ps)}"


def _last_line(console: str) -> str:
    last = _last_text(console)
    return f"; the last that it prints is {last!r}" if last else ""


def _last_text(console: str) -> str:
    lines: Sequence[str] = [line.strip() for line in console.replace("\r", "\n").split("\n") if line.strip()]
    return lines[-1][:_MOST_TEXT] if lines else ""
