"""Virtual boards, with everything public of them: run control, pins, memory, board files, settings of images."""

from __future__ import annotations

from airwire.board.catalogue import (
    board_fields,
    board_header,
    board_names,
    board_schema,
    chip_kinds,
    describe_board,
    microcontrollers,
)
from airwire.board.devices import I2cDevice
from airwire.board.energy import BoardEnergy, PartEnergy, StateEnergy, SupplyUse
from airwire.board.memory import Memory
from airwire.board.model import (
    BoardDescription,
    BoardRun,
    Chip,
    ChipField,
    ChipKind,
    CoreCounts,
    Fault,
    FunctionCycles,
    FunctionShare,
    ImageSetting,
    InputReport,
    InterruptCount,
    Microcontroller,
    PinEdge,
    PinName,
    Profile,
    RadioUse,
    UnknownAccess,
    UsbDevice,
)
from airwire.board.network import Traffic
from airwire.board.pins import Pin, Pins
from airwire.board.serial_pins import SerialPins
from airwire.board.settings import image_settings, write_image
from airwire.board.spi_controller import (
    SPI_CHIPS,
    Access,
    BusUse,
    ChipWarning,
    Datagram,
    Dropped,
    Frame,
    SpiController,
)
from airwire.board.virtual import CONSOLES, DEFAULT_BOARD, NO_END_PS, Board, Console, Snapshot
from airwire.board.wired import PinWire, SerialLine, SerialPort, WiredBoards

__all__ = [
    "CONSOLES",
    "DEFAULT_BOARD",
    "NO_END_PS",
    "SPI_CHIPS",
    "Access",
    "Board",
    "BoardDescription",
    "BoardEnergy",
    "BoardRun",
    "BusUse",
    "Chip",
    "ChipField",
    "ChipKind",
    "ChipWarning",
    "Console",
    "CoreCounts",
    "Datagram",
    "Dropped",
    "Fault",
    "Frame",
    "FunctionCycles",
    "FunctionShare",
    "I2cDevice",
    "ImageSetting",
    "InputReport",
    "InterruptCount",
    "Memory",
    "Microcontroller",
    "PartEnergy",
    "Pin",
    "PinEdge",
    "PinName",
    "PinWire",
    "Pins",
    "Profile",
    "RadioUse",
    "SerialLine",
    "SerialPins",
    "SerialPort",
    "Snapshot",
    "SpiController",
    "StateEnergy",
    "SupplyUse",
    "Traffic",
    "UnknownAccess",
    "UsbDevice",
    "WiredBoards",
    "board_fields",
    "board_header",
    "board_names",
    "board_schema",
    "chip_kinds",
    "describe_board",
    "image_settings",
    "microcontrollers",
    "write_image",
]
