"""What bounds a board's messages, and the change to make: the causes that the stages of the median show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airwire.explain.board.cause import Amount, NamedCause, apart, of_the_peer, sum_ps
from airwire.explain.board.timers import timer_causes
from airwire.explain.quantities import percent, rough_time
from airwire.explain.words import LOOKED_AT, end_of, function_of, looked_at, name_at_its_site, other_end, own_end
from airwire.stage import Stage

Evidence = Mapping[str, float | None]
"""What was seen while messages were traced, by name."""

# Printing is worth a word from a smaller share on than other causes: it is easily left out.
_CONSOLE_SHARE = 0.1
# Of every frame of SPI the DMA moves a word one way at least; other transfers, as copies, may be among them.
_MOVED_BY_DMA = 0.5
_SHORTER_LOOP = "move a byte in fewer cycles, as there is no DMA"
# SCK this far below what the chip takes is worth raising.
_SLOW_SCK = 0.7
# Below this share of it the processor waits noticeably for the last bits of each access, which is no time of SPI.
_CRAWLING_SCK = 0.01
_STALLED = 0.15
# A function with a smaller share of the processor's work is not worth naming in the change.
_OUTSTANDING = 0.25
# What an RTOS that is not told to sleep executes while no task is ready: idle tasks, and what they alone call.
_IDLE_TASKS = {
    "prvIdleTask": "FreeRTOS",
    "prvMinimalIdleTask": "FreeRTOS",
    "prvPassiveIdleTask": "FreeRTOS",
    "prvCheckTasksWaitingTermination": "FreeRTOS",
    "vApplicationIdleHook": "FreeRTOS",
    "vApplicationPassiveIdleHook": "FreeRTOS",
    "_tx_thread_schedule": "ThreadX",
    "rt_thread_idle_entry": "RT-Thread",
    "_idle_thread": "ChibiOS",
}
# Retransmission times that stacks begin with: RTR of WIZnet's chips is 2000 x 100 us after a reset, and Linux waits at
# least 200 ms (TCP_RTO_MIN); lwIP's slow TCP timer counts in 500 ms, its fast one in 250 ms (opt.h, TCP_TMR_INTERVAL).
_RETRANSMISSIONS = (
    (200e9, "200 ms is what RTR of WIZnet's chips is after a reset, and the least of Linux."),
    (250e9, "That is one beat of lwIP's TCP timer."),
    (500e9, "That is two beats of lwIP's TCP timer of 250 ms."),
)
_NEAR = 0.06
_FAST_CABLE_BITS_PER_SECOND = 100e6
# Names of functions may be as long as C++ makes them; a line has room for one of these.
_LONGEST_NAME = 32


def causes(
    stages: Sequence[Stage], evidence: Evidence, peer: Evidence | None = None, amount: Amount = rough_time
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


def _of_one(stages: Sequence[Stage], evidence: Evidence, amount: Amount) -> list[NamedCause]:
    return [
        *_spi(stages, evidence, amount),
        *timer_causes(stages, evidence),
        *(_silence(stage, evidence) for stage in stages if stage.cause == "protocol"),
        *_console(stages, evidence),
        *_processor(stages, evidence, amount),
        *_wire(stages, evidence),
        *_power_save(stages, evidence),
        *_air(stages),
        *_delay(stages),
        *_waits(stages),
    ]


def _spi(stages: Sequence[Stage], evidence: Evidence, amount: Amount) -> list[NamedCause]:
    moved = [stage for stage in stages if is_moved(stage)]
    looks = [stage for stage in stages if is_look(stage)]
    found = []
    if moved:
        found.append(_moved(moved, sum_ps(looks), evidence, amount))
    if looks:
        names = " and ".join(looked_at(stage) for stage in looks[:2])
        name = f"{names} again and again"
        found.append(NamedCause(name, sum_ps(looks), "wait for the INT pin instead", "look", "looks at"))
    return found


def is_look(stage: Stage) -> bool:
    """Whether SPI looks at something that says the same as before."""
    return stage.cause == "bus" and stage.subject in LOOKED_AT


def is_moved(stage: Stage) -> bool:
    """Whether SPI moves something."""
    return stage.cause == "bus" and not is_look(stage)


def _moved(moved: Sequence[Stage], looks_ps: float, evidence: Evidence, amount: Amount) -> NamedCause:
    sck, highest, ps = evidence.get("sck_hz"), evidence.get("highest_sck_hz"), sum_ps(moved)
    if sck and highest and is_slow(sck, highest):
        # What is looked at goes over the same SPI.
        saved = (ps + looks_ps) * (1 - sck / highest)
        sentence = f"{limit_of_sck(evidence).capitalize()} {megahertz(highest)}, which would save {rough_time(saved)}."
        return NamedCause(
            f"SPI at {megahertz(sck)}",
            ps,
            f"raise SCK to {megahertz(highest)}",
            "bus",
            evidence=(sentence,),
            removable_ps=saved,
            helps_beyond=sck < _CRAWLING_SCK * highest,
        )
    largest = max(moved, key=lambda stage: stage.ps)
    name = name_at_its_site(largest)
    at = f" at {megahertz(sck)}" if sck else ""
    fast = f"SCK is as fast as {limit_of_sck(evidence)}. " if sck and highest else ""
    sentence = f"{fast}The most goes to {name} ({amount(largest.ps)})."
    return NamedCause(f"SPI{at}", ps, f"move less; the most is {name}", "bus", evidence=(sentence,))


def limit_of_sck(evidence: Evidence) -> str:
    """Who says how fast SCK may be."""
    given, highest = evidence.get("mcu_sck_hz"), evidence.get("highest_sck_hz")
    return "the processor gives" if given and highest and given <= highest else "the chip takes"


def _has_dma(evidence: Evidence) -> bool:
    """Runs of before did not note it, and were all of chips that have it."""
    return evidence.get("dma_channels") != 0


def is_slow(sck_hz: float, highest_hz: float) -> bool:
    """Whether SCK is worth raising."""
    return sck_hz < _SLOW_SCK * highest_hz


def megahertz(hz: float) -> str:
    """SCK as people write it."""
    return f"{hz / 1e6:.3g} MHz" if hz >= 1e6 else f"{hz / 1e3:.3g} kHz"


def _silence(stage: Stage, evidence: Evidence) -> NamedCause:
    who = end_of(stage)
    if stage.subject == "delayed_acknowledgement":
        usual = "40 ms or 200 ms" if stage.detail != stage.site else "its stack's timer"
        advice = (
            f"Acknowledgements of {who} wait for data ({usual}).",
            "An answer to each message helps as well, and so does switching Nagle's algorithm off at the other end.",
        )
        name, change = f"the delayed acknowledgement of {who}", "send each message in one piece"
        return NamedCause(name, stage.ps, change, "delayed_acknowledgement", "waits for", advice, stage.ps)
    known = tuple(meaning for ps, meaning in _RETRANSMISSIONS if abs(stage.ps / ps - 1) < _NEAR)
    sentences = (*known, "A shorter retransmission time shortens the silence.")
    change = "find out why a segment was lost or held back"
    dropped = evidence.get("dropped_for_room")
    if dropped:
        frames = "a frame" if dropped == 1 else f"{dropped:.0f} frames"
        change = f"offer a smaller TCP window, as the chip had no room for {frames}"
    return NamedCause(f"silence until {who} sends again", stage.ps, change, "retransmission", evidence=sentences)


def _console(stages: Sequence[Stage], evidence: Evidence) -> list[NamedCause]:
    waits = [stage for stage in stages if stage.cause == "console"]
    if not waits:
        return []
    ps = sum_ps(waits)
    if _has_dma(evidence):
        change, sentence = (
            "print less, or let the DMA print",
            "A higher baud rate shortens the wait, and the DMA can print meanwhile.",
        )
    else:
        change, sentence = "print less, or raise its baud rate", "A higher baud rate shortens the wait."
    name = "the console's UART"
    return [NamedCause(name, ps, change, "console", "waits for", (sentence,), ps, least_share=_CONSOLE_SHARE)]


def _processor(stages: Sequence[Stage], evidence: Evidence, amount: Amount) -> list[NamedCause]:
    still = [stage for stage in stages if stage.subject == "spi_pause"]
    idle = [stage for stage in stages if _is_idle(stage)]
    busy = [stage for stage in stages if stage.cause == "cpu" and not _is_idle(stage)]
    work = [stage for stage in busy if stage.subject != "spi_pause"]
    found = []
    if idle:
        found.append(_idle(idle))
    if work:
        found.append(_work(work, evidence, amount))
    if still:
        name, change = _still(evidence)
        found.append(NamedCause(name, sum_ps(still), change, "spi_pause"))
    return found


def _still(evidence: Evidence) -> tuple[str, str]:
    """What SCK waits for while a chip is selected, and what to do about it."""
    name = "SCK standing still between bytes"
    if not _has_dma(evidence):
        return name, _SHORTER_LOOP
    if (evidence.get("dma_transfers_per_frame") or 0) >= _MOVED_BY_DMA:
        return "SCK standing still between transfers of the DMA", "move header and data in one sequence of the DMA"
    return name, "let the DMA move the bytes, or keep the SPI's FIFO full"


def _is_idle(stage: Stage) -> bool:
    return stage.cause == "cpu" and stage.subject == "function" and stage.detail in _IDLE_TASKS


def _idle(idle: Sequence[Stage]) -> NamedCause:
    """What an RTOS executes while no task is ready: the processor works, but on nothing."""
    largest = max(idle, key=lambda stage: stage.ps)
    name = f"{_IDLE_TASKS[str(largest.detail)]}'s idle task, as no other is ready"
    sentence = f"The processor is in {largest.detail}, so a faster one changes nothing."
    change = "let an interrupt wake the task that waits, not a timer"
    return NamedCause(name, sum_ps(idle), change, "idle_task", evidence=(sentence,))


def _work(work: Sequence[Stage], evidence: Evidence, amount: Amount) -> NamedCause:
    """What core 0 works on; by its largest function, where the image says what its functions are."""
    ps = sum_ps(work)
    named = [stage for stage in work if stage.subject == "function" and stage.detail]
    stalled = evidence.get("xip_stall_share") or 0
    raise_clock = "raise clk_sys" if _has_dma(evidence) else "raise the processor's clock"
    sentences = [f"{percent(stalled)} of it waits for the flash."] if stalled >= _STALLED else []
    if not named:
        change = "run it from RAM" if sentences else raise_clock
        if not any(stage.subject == "function" for stage in work):
            sentences.append("Without symbols nothing is known of the image's functions: give its ELF file.")
    else:
        largest = max(named, key=lambda stage: stage.ps)
        name = _short(function_of(largest))
        if sentences:
            change = f"put {name} and what it calls into RAM"
        elif largest.ps >= _OUTSTANDING * ps:
            change = f"shorten {name}, or {raise_clock}"
        else:
            change = f"{raise_clock}; no function stands out"
        sentences.append(f"The most is {function_of(largest)} ({amount(largest.ps)}).")
    removable = stalled * ps if stalled >= _STALLED else None
    return NamedCause("the processor at work", ps, change, "processor", evidence=sentences, removable_ps=removable)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def _wire(stages: Sequence[Stage], evidence: Evidence) -> list[NamedCause]:
    wire = [stage for stage in stages if stage.cause == "wire"]
    if not wire:
        return []
    ps = sum_ps(wire)
    if any(stage.subject == "characters" for stage in wire):
        change = "raise the rate of both UARTs, or send fewer bytes"
        return [NamedCause("characters on the serial line", ps, change, "wire")]
    if any(stage.subject == "usb_packets" for stage in wire):
        sentence = "USB at full speed carries a frame in packets of 64 bytes."
        change = "send fewer and fuller frames"
        return [NamedCause("frames over USB", ps, change, "wire", evidence=(sentence,))]
    speed = evidence.get("cable_bits_per_second") or 0
    if speed < _FAST_CABLE_BITS_PER_SECOND / 2:
        saved = ps * (1 - speed / _FAST_CABLE_BITS_PER_SECOND) if speed else None
        return [NamedCause("frames on the wire", ps, "use 100 Mbit/s", "wire", removable_ps=saved)]
    evidence_of_it = ("The network sets the pace.",)
    return [NamedCause("frames on the wire", ps, "send fewer and fuller frames", "wire", evidence=evidence_of_it)]


def _air(stages: Sequence[Stage]) -> list[NamedCause]:
    """Channel and access point, each way; where the PC is on Wi-Fi as well, its own apart."""
    air = [stage for stage in stages if stage.cause == "air" and stage.subject == "frames"]
    change = "send fewer and fuller frames"
    own, theirs = ([stage for stage in air if (stage.site == "pc") is of_pc] for of_pc in (False, True))
    found = []
    if own:
        evidence = ("It is the channel and the access point.",)
        found.append(NamedCause("the way through Wi-Fi", sum_ps(own), change, "air", evidence=evidence))
    if theirs:
        evidence = ("It is the channel once more, between the access point and the PC.",)
        change = "put the PC on a cable"
        found.append(NamedCause("the PC's own Wi-Fi", sum_ps(theirs), change, "air", evidence=evidence))
    return found


def _power_save(stages: Sequence[Stage], evidence: Evidence) -> list[NamedCause]:
    """What an access point keeps frames for, until a radio that dozes listens to a beacon."""
    ps = sum_ps([stage for stage in stages if stage.cause == "gate" and stage.subject == "frames"])
    if not ps:
        return []
    saved = evidence.get("power_save_milliamperes")
    price = f", +{saved:.0f} mA" if saved else ""
    of_the_pc = "" if saved else " of the PC"
    sentence = "The access point keeps frames for a radio that dozes until a beacon that it listens to."
    name, change = f"power save{of_the_pc}", f"set PM off{price}"
    return [NamedCause(name, ps, change, "power_save", evidence=(sentence,), removable_ps=ps)]


def _delay(stages: Sequence[Stage]) -> list[NamedCause]:
    delay = sum_ps([stage for stage in stages if stage.cause == "delay"])
    evidence = ("Nothing at either end makes it shorter, but more at a time needs fewer round trips.",)
    change = "ask for more at a time"
    return [NamedCause("the delay of the cable", delay, change, "delay", evidence=evidence)] if delay else []


def _waits(stages: Sequence[Stage]) -> list[NamedCause]:
    found = []
    thinking = [stage for stage in stages if stage.cause == "pc"]
    if thinking:
        site = thinking[0].site
        evidence = (f"{own_end(site).capitalize()} waits for its other end.",)
        change = f"nothing at {own_end(site)} changes that"
        found.append(NamedCause(other_end(site), sum_ps(thinking), change, "pc", evidence=evidence))
    radio = sum_ps([stage for stage in stages if stage.cause == "chip" and stage.subject == "frames"])
    if radio:
        evidence = ("Frames cross the radio's own processor one after the other.",)
        name, change = "the radio's own processor", "send fewer and fuller frames"
        found.append(NamedCause(name, radio, change, "chip", evidence=evidence))
    chip = sum_ps([stage for stage in stages if stage.cause == "chip" and stage.subject != "frames"])
    if chip:
        evidence = ("The chip sets the pace.",)
        name = "the chip between SEND and the wire"
        found.append(NamedCause(name, chip, "send fuller segments", "chip", evidence=evidence))
    found.extend(_sleep(stage) for stage in stages if stage.cause == "sleep")
    return found


def _sleep(stage: Stage) -> NamedCause:
    own = own_end(stage.site)
    evidence = (f"{own.capitalize()} waits for its chip.",)
    change = f"nothing at {own} changes that"
    return NamedCause(name_at_its_site(stage), stage.ps, change, "sleep", evidence=evidence)
