"""What a virtual board tells: the report of a run, a profile, edges, and what a board file says."""

from __future__ import annotations

from dataclasses import dataclass, field

from airwire.board.energy import SupplyUse
from airwire.board.network import TrafficResult
from airwire.kinds import InputKind, RunEnd
from airwire.shown import Shown


@dataclass(frozen=True)
class CoreCounts:
    """What was counted of a core since the start."""

    core: int
    instructions: int
    busy_cycles: int
    busy_share: float
    exceptions: int
    awake: bool


@dataclass(frozen=True)
class InterruptCount:
    """How often an interrupt line was taken, by both cores."""

    line: int
    name: str
    count: int


@dataclass(frozen=True)
class FunctionShare:
    """A function's cycles, estimated from samples of the program counter."""

    name: str
    cycles: int
    share: float


@dataclass(frozen=True)
class FunctionCycles:
    """A function's cycles, exact: in itself, and with what it called."""

    name: str
    self_cycles: int
    inclusive_cycles: int
    calls: int


@dataclass(frozen=True)
class UnknownAccess:
    """The first access to something that is not modelled, or with ``ignored`` a write that the chip ignores as well."""

    block: str
    detail: str
    address: int
    write: bool
    pc: int
    core: int
    place: str
    ignored: bool


@dataclass(frozen=True)
class Fault:
    """What an image did to fault, where, and the whole report for people."""

    what: str
    core: int
    pc: int
    place: str
    report: str


@dataclass(frozen=True)
class UsbDevice:
    """What the device at the USB port says of itself; the disk's size where it is one, once the PC knows it."""

    vendor_id: int
    product_id: int
    manufacturer: str | None
    product: str | None
    serial: str | None
    interface_classes: list[int]
    functions: list[str]
    """What its interfaces make up, such as ``2 serial ports`` and ``disk``."""
    has_network: bool
    """Whether one of them is a network that the PC drives."""
    disk_sectors: int | None
    disk_sector_bytes: int | None


@dataclass(frozen=True, slots=True)
class ImageSetting:
    """A word in an image's flash that it declares as ``const volatile uint32_t setting_<name>``, or a text."""

    name: str
    value: int | None
    """The word; ``None`` for a text."""
    text: str
    """As a user would write it: an address, a name, a number, or the text."""
    shown: str
    """The same with its unit, for people."""
    takes: str
    """What may be given, such as ``on or off``."""
    meaning: str | None
    """What it is for; ``None`` where the image does not say."""
    address: int


@dataclass(frozen=True)
class InputReport:
    """What a keyboard, a mouse or another input device sent."""

    time_ps: int
    kind: InputKind
    content: bytes


@dataclass(frozen=True)
class PinEdge:
    """A pin changed its level."""

    time_ps: int
    pin: str
    level: bool


@dataclass(frozen=True)
class BoardRun(Shown):
    """How a run ended, and what was counted since the board started."""

    board: str
    image: str | None
    reason: RunEnd
    sentence: str
    end: str
    """The sentence without what became of clients that the run waited for."""
    failed: bool
    time_ps: int
    clock: str
    cycles: int
    clk_sys_hz: int
    resets: int
    cores: list[CoreCounts]
    interrupts: list[InterruptCount]
    samples: int
    functions: list[FunctionShare]
    bus: dict[str, int]
    console_bytes: dict[str, int]
    unknown: list[UnknownAccess]
    fault: Fault | None
    traffic: list[TrafficResult]
    radio: RadioUse | None
    energy: SupplyUse
    notes: list[str]


@dataclass(frozen=True)
class RadioUse:
    """How long a radio was in each of its states, and what it drew on average while it had power."""

    times_ps: dict[str, int]
    """By state: off, boot, awake, doze, transmit and receive."""
    mean_ma: float | None


@dataclass(frozen=True)
class Profile:
    """The exact profile of a run."""

    cycles: int
    asleep_cycles: int
    functions: list[FunctionCycles]
    flame_graph: str = field(repr=False)
    """An SVG picture."""


@dataclass(frozen=True)
class PinName:
    """A named pin of a board."""

    name: str
    gpio: int


@dataclass(frozen=True)
class Chip:
    """A chip of a board; ``pins`` are the GPIO that it is on, by the fields of the board file."""

    name: str
    kind: str
    pins: dict[str, int]


@dataclass(frozen=True)
class BoardDescription:
    """What a board file says."""

    name: str
    title: str
    mcu: str
    crystal_hz: int
    flash_bytes: int
    pins: list[PinName]
    gpios: list[str]
    """What the microcontroller calls each GPIO, by its number."""
    chips: list[Chip]


@dataclass(frozen=True)
class Microcontroller:
    """A microcontroller that a board file may name, with the limits of what such a file says."""

    name: str
    title: str
    last_gpio: int
    first_pin: str
    """What GPIO 0 is called where a board gives it no name."""
    last_pin: str
    lowest_crystal: str
    highest_crystal: str
    usual_crystal: str
    least_flash: str
    most_flash: str
    usual_flash: str


@dataclass(frozen=True)
class ChipField:
    """What a board file may say of a kind of chip."""

    name: str
    takes: str
    default: str | None
    required: bool
    help: str
    example: str


@dataclass(frozen=True)
class ChipKind:
    """A kind of chip that a board file may name."""

    name: str
    help: str
    fields: list[ChipField]
