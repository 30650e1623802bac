"""What bounds a board's messages, and the change to make: the causes that the stages of the median show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airwire.explain.board.cause import (
    Amount,
    NamedCause,
    apart,
    of_the_peer,
    sentences_of,
    shares_sentence,
    sum_ps,
    unexplained_sentences,
)
from airwire.explain.board.timers import timer_causes
from airwire.explain.quantities import percent, rough_time
from airwire.explain.words import LOOKED_AT, end_of, function_of, looked_at, name_at_its_site, other_end, own_end
from airwire.link.model import Waterfall
from airwire.stage import Stage

# Printing is worth a word from a smaller share on than other causes: it is easily left out.
_CONSOLE_SHARE = 0.1
# SCK this far below what the chip takes is worth raising.
_SLOW_SCK = 0.7
_STALLED = 0.15
# Retransmission times that stacks begin with: RTR of WIZnet's chips is 2000 x 100 us after a reset, and Linux waits at
# least 200 ms (TCP_RTO_MIN); lwIP's slow TCP timer counts in 500 ms, its fast one in 250 ms (opt.h, TCP_TMR_INTERVAL).
_RETRANSMISSIONS = (
    (200e9, "200 ms is what RTR of WIZnet's chips is after a reset, and the least of Linux"),
    (250e9, "one beat of lwIP's TCP timer"),
    (500e9, "two beats of lwIP's TCP timer of 250 ms"),
)
_NEAR = 0.06


def cause_sentence(
    waterfall: Waterfall, evidence: Mapping[str, float | None], peer: Mapping[str, float | None] | None = None
) -> str:
    """The largest causes with their changes: ``61 ms of 64 ms is a poll period ...: wire the INT pin or set 1 ms.``"""
    total = waterfall.total_ps
    if total <= 0:
        return ""
    sentences = sentences_of(causes(waterfall.stages, evidence, peer), waterfall, rough_time, rough_time(total))
    if peer is not None:
        sentences.append(shares_sentence(waterfall.stages))
    sentences.extend(unexplained_sentences(waterfall, rough_time))
    return " ".join(sentences)


def causes(
    stages: Sequence[Stage],
    evidence: Mapping[str, float | None],
    peer: Mapping[str, float | None] | None = None,
    amount: Amount = rough_time,
) -> list[NamedCause]:
    """Every cause that the stages show, the largest first; ``peer`` is the evidence of a board in the PC's place.

    ``amount`` says how much of the time a part of a cause takes.
    """
    if peer is None:
        found = _of_one(stages, evidence, amount)
    else:
        own, theirs = apart(stages)
        found = [
            *_of_one(own, evidence, amount),
            *map(of_the_peer, _of_one(theirs, peer, amount)),
        ]
    return sorted((cause for cause in found if cause.ps > 0), key=lambda cause: -cause.ps)


def _of_one(stages: Sequence[Stage], evidence: Mapping[str, float | None], amount: Amount) -> list[NamedCause]:
    return [
        *_spi(stages, evidence),
        *timer_causes(stages, evidence),
        *(_silence(stage) for stage in stages if stage.cause == "protocol"),
        *_console(stages),
        *_processor(stages, evidence, amount),
        *_wire(stages, evidence),
        *_delay(stages),
        *_waits(stages),
    ]


def _spi(stages: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    moved = [stage for stage in stages if is_moved(stage)]
    looks = [stage for stage in stages if is_look(stage)]
    found = []
    if moved:
        found.append(_moved(moved, evidence))
    if looks:
        names = " and ".join(looked_at(stage) for stage in looks[:2])
        found.append(NamedCause(f"looking at {names} again and again", sum_ps(looks), "wait for the INT pin instead"))
    return found


def is_look(stage: Stage) -> bool:
    """Whether SPI looks at something that says the same as before."""
    return stage.cause == "bus" and stage.subject in LOOKED_AT


def is_moved(stage: Stage) -> bool:
    """Whether SPI moves something."""
    return stage.cause == "bus" and not is_look(stage)


def _moved(moved: Sequence[Stage], evidence: Mapping[str, float | None]) -> NamedCause:
    sck, highest, ps = evidence.get("sck_hz"), evidence.get("highest_sck_hz"), sum_ps(moved)
    if sck and highest and is_slow(sck, highest):
        saved = rough_time(ps * (1 - sck / highest))
        change = f"raise SCK, the chip takes {megahertz(highest)}, which would save {saved}"
        return NamedCause(f"SPI at {megahertz(sck)}", ps, change)
    largest = max(moved, key=lambda stage: stage.ps)
    name = name_at_its_site(largest)
    at = f" at {megahertz(sck)}" if sck else ""
    change = (
        f"SCK is as fast as the chip takes, so move less; the most goes to {name} ({rough_time(largest.ps)})"
        if sck and highest
        else f"move less; the most goes to {name} ({rough_time(largest.ps)})"
    )
    return NamedCause(f"SPI{at}", ps, change)


def is_slow(sck_hz: float, highest_hz: float) -> bool:
    """Whether SCK is worth raising."""
    return sck_hz < _SLOW_SCK * highest_hz


def megahertz(hz: float) -> str:
    """SCK as people write it."""
    return f"{hz / 1e6:.3g} MHz" if hz >= 1e6 else f"{hz / 1e3:.3g} kHz"


def _silence(stage: Stage) -> NamedCause:
    who = end_of(stage)
    if stage.subject == "delayed_acknowledgement":
        usual = "40 ms or 200 ms" if stage.detail != stage.site else "its stack's timer"
        change = (
            f"acknowledgements of {who} wait for data ({usual}); answer each message, send a message in one piece, or "
            "switch Nagle's algorithm off at the other end"
        )
        return NamedCause(f"waiting for the delayed acknowledgement of {who}", stage.ps, change)
    known = next((f" ({meaning})" for ps, meaning in _RETRANSMISSIONS if abs(stage.ps / ps - 1) < _NEAR), "")
    change = "find out why a segment was lost or held back, or shorten the retransmission time"
    return NamedCause(f"silence until {who} sends again{known}", stage.ps, change)


def _console(stages: Sequence[Stage]) -> list[NamedCause]:
    waits = [stage for stage in stages if stage.cause == "console"]
    change = "print less, print at a higher baud rate, or let the DMA print"
    name = "waiting for the console's UART"
    return [NamedCause(name, sum_ps(waits), change, least_share=_CONSOLE_SHARE)] if waits else []


def _processor(stages: Sequence[Stage], evidence: Mapping[str, float | None], amount: Amount) -> list[NamedCause]:
    still = [stage for stage in stages if stage.subject == "spi_pause"]
    work = [stage for stage in stages if stage.cause == "cpu" and stage.subject != "spi_pause"]
    found = []
    if work:
        named = [stage for stage in work if stage.detail or not stage.subject] or work
        largest = max(named, key=lambda stage: stage.ps)
        name = function_of(largest)
        stalled = evidence.get("xip_stall_share") or 0
        change = (
            f"{percent(stalled)} of it waits for the flash; put {name} and what it calls into RAM"
            if stalled >= _STALLED
            else f"the most is {name} ({amount(largest.ps)}); make it shorter, or raise clk_sys"
        )
        found.append(NamedCause("the processor at work", sum_ps(work), change, of="cpu"))
    if still:
        change = "let the DMA move the bytes, or keep the SPI's FIFO full"
        found.append(NamedCause("SCK standing still between bytes", sum_ps(still), change, of="cpu"))
    return found


def _wire(stages: Sequence[Stage], evidence: Mapping[str, float | None]) -> list[NamedCause]:
    wire = [stage for stage in stages if stage.cause == "wire"]
    if not wire:
        return []
    if any(stage.subject == "characters" for stage in wire):
        change = "raise the rate of both UARTs, or send fewer bytes"
        return [NamedCause("characters on the serial line", sum_ps(wire), change)]
    slow = (evidence.get("cable_bits_per_second") or 0) < 50e6
    change = "use 100 Mbit/s" if slow else "the network sets the pace; send fewer and fuller frames"
    return [NamedCause("frames on the wire", sum_ps(wire), change)]


def _delay(stages: Sequence[Stage]) -> list[NamedCause]:
    delay = sum_ps([stage for stage in stages if stage.cause == "delay"])
    change = "nothing at either end makes it shorter; ask for more at a time, so that fewer round trips are needed"
    return [NamedCause("the delay of the cable", delay, change)] if delay else []


def _waits(stages: Sequence[Stage]) -> list[NamedCause]:
    found = []
    thinking = [stage for stage in stages if stage.cause == "pc"]
    if thinking:
        site = thinking[0].site
        own = own_end(site)
        change = f"{own} waits for its other end, which is not {own}'s to change"
        found.append(NamedCause(other_end(site), sum_ps(thinking), change))
    chip = sum_ps([stage for stage in stages if stage.cause == "chip"])
    if chip:
        change = "the chip sets the pace; send fuller segments"
        found.append(NamedCause("the chip between SEND and the wire", chip, change))
    found.extend(_sleep(stage) for stage in stages if stage.cause == "sleep")
    return found


def _sleep(stage: Stage) -> NamedCause:
    own = own_end(stage.site)
    change = f"{own} waits for its chip, and nothing on {own} would be faster"
    return NamedCause(f"sleep ({name_at_its_site(stage)})", stage.ps, change)
