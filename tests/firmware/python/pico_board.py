"""A W5500-EVB-Pico with CircuitPython in virtual time: runs the files of ``firmware/python/circuitpython`` unmodified.

On top of ``tests/drivers``' board, whose chip is the virtual one and whose library is Adafruit's: the module
``board``, pins by name, and modules of our own. Every sleep is kept with the file that asked for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
FIRMWARE = REPOSITORY / "firmware" / "python"
sys.path.insert(0, str(REPOSITORY / "tests" / "drivers"))

from circuitpython_board import CircuitPythonBoard, Costs  # noqa: E402
from circuitpython_modules import DigitalInOut, SpiBus  # noqa: E402

from airwire.board.spi_controller import SpiController  # noqa: E402

OURS = ("pingpong", "readiness", "streams", "pingpong_client", "pingpong_server")
PINS = [f"GP{number}" for number in range(29)]
SPI0 = ("GP18", "GP19", "GP16")
"""SCK, MOSI and MISO as they are wired."""

__all__ = ["FIRMWARE", "REPOSITORY", "Costs", "PicoBoard", "SpiController", "no_chip"]


CLK_PERI_HZ = 125_000_000
"""What CircuitPython runs the SPI of an RP2040 from."""


def clock_for(wish_hz: int, of_hz: int = CLK_PERI_HZ) -> int:
    """The fastest clock of the SPI that is not above a wish: an even prescaler, then 1 to 256 (PL022 TRM, 2.3.2)."""
    prescalers = range(2, 255, 2)
    return max(
        of_hz // (prescaler * divider)
        for prescaler in prescalers
        for divider in [-(-of_hz // (prescaler * wish_hz))]
        if 1 <= divider <= 256
    )


class Rp2040Spi(SpiBus):
    """``busio.SPI`` at the clocks that the RP2040 can make."""

    def configure(self, *, baudrate: int = 100_000, polarity: int = 0, phase: int = 0, bits: int = 8) -> None:
        """Set the clock."""
        super().configure(baudrate=clock_for(baudrate), polarity=polarity, phase=phase, bits=bits)


class PicoBoard(CircuitPythonBoard):
    """The board; ``folder`` holds the files on its drive, ``settings`` are set in them by module."""

    def __init__(
        self,
        controller: SpiController,
        *,
        folders: Sequence[Path] = (FIRMWARE / "circuitpython", FIRMWARE),
        costs: Costs = Costs(),  # noqa: B008
        end_ps: int = 120 * 10**12,
    ) -> None:
        super().__init__(controller, costs=costs, libraries=folders, end_ps=end_ps)
        self.spi = Rp2040Spi(self)
        self.sleeps: list[tuple[str, float]] = []
        self._taken: set[str] = set()
        self._built_in.update(
            board=SimpleNamespace(**{pin: pin for pin in PINS}),
            busio=SimpleNamespace(SPI=self._open_spi),
            digitalio=SimpleNamespace(DigitalInOut=self._open_pin),
        )

    def start(self, name: str, **settings: dict[str, Any]) -> None:
        """Run a script's ``main`` with settings for modules: ``readiness={"ADDRESS": ...}``."""
        for module, values in settings.items():
            vars(self.import_module(module)).update(values)
        self.import_module(name).main()

    def sleep(self, seconds: float) -> None:
        """``time.sleep``."""
        self.sleeps.append((Path(sys._getframe(1).f_code.co_filename).name, seconds))
        super().sleep(seconds)

    def _open_spi(self, clock: str, *, MOSI: str, MISO: str) -> SpiBus:  # noqa: N803
        assert (clock, MOSI, MISO) == SPI0, "the chip is not wired there"
        for pin in SPI0:
            self._take(pin)
        return self.spi

    def _open_pin(self, pin: str) -> DigitalInOut:
        self._take(pin)
        return {"GP17": self.chip_select, "GP20": self.reset}[pin]

    def _take(self, pin: str) -> None:
        if pin in self._taken:
            raise ValueError(f"{pin} in use")
        self._taken.add(pin)

    def _import(
        self, name: str, globals_: Any = None, locals_: Any = None, names: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        if name in OURS:
            return self.import_module(name)
        return super()._import(name, globals_, locals_, names, level)


def no_chip(controller: SpiController, level: int) -> SpiController:
    """Take the chip away: MISO stays at a level."""
    controller.transfer = lambda sent: bytes([level]) * len(sent)  # type: ignore[method-assign]
    return controller
