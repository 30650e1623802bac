"""Adafruit's CircuitPython library for WIZnet chips, unmodified, in front of a virtual chip.

Releases before 6 are spoken to as well: they have a module that is like CPython's ``socket``, later ones a pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from circuitpython_board import CircuitPythonBoard, Costs

from airwire.board.spi_controller import SpiController

_PACKAGE = "adafruit_wiznet5k"

Address = tuple[str, str, str, str]
"""Address, mask, gateway and DNS server."""


@dataclass
class Adafruit:
    """The library, with its chip brought up."""

    board: CircuitPythonBoard
    interface: Any
    """Its ``WIZNET5K``."""
    sockets: Any
    """Its ``SocketPool``, or its module that is like ``socket``."""

    @property
    def controller(self) -> SpiController:
        """The chip's SPI."""
        return self.board.controller

    @property
    def address(self) -> str:
        """The chip's IPv4 address."""
        return str(self.interface.pretty_ip(self.interface.ip_address))

    def socket(self, *, udp: bool = False) -> Any:
        """A socket of the library."""
        kind = self.sockets.SOCK_DGRAM if udp else self.sockets.SOCK_STREAM
        return self.sockets.socket(type=kind)


def bring_up(
    controller: SpiController,
    *,
    address: Address | None = None,
    reset: bool = True,
    debug: bool = False,
    clock_hz: int | None = None,
    costs: Costs = Costs(),  # noqa: B008
    libraries: Sequence[Path] = (),
    end_ps: int = 120 * 10**12,
) -> Adafruit:
    """Bring the chip up as scripts do: by DHCP without an ``address``, at the library's clock without ``clock_hz``."""
    board = CircuitPythonBoard(controller, costs=costs, libraries=libraries, end_ps=end_ps)
    library = board.import_module(f"{_PACKAGE}.{_PACKAGE}")
    clock = {} if clock_hz is None else {"spi_baudrate": clock_hz}
    interface = library.WIZNET5K(
        board.spi,
        board.chip_select,
        reset=board.reset if reset else None,
        is_dhcp=address is None,
        debug=debug,
        **clock,
    )
    if address is not None:
        interface.ifconfig = tuple(map(interface.unpretty_ip, address))
    return Adafruit(board, interface, _sockets(board, interface))


def _sockets(board: CircuitPythonBoard, interface: Any) -> Any:
    try:
        return board.import_module(f"{_PACKAGE}.{_PACKAGE}_socketpool").SocketPool(interface)
    except ModuleNotFoundError:
        module = board.import_module(f"{_PACKAGE}.{_PACKAGE}_socket")
        module.set_interface(interface)
        return module
