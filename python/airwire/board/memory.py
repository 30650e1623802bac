"""The memory of a virtual board's chip, as bytes and slices of an address space."""

from __future__ import annotations

from typing import overload

from airwire import _core
from airwire.values import check_numbers


class Memory:
    """The chip's memory: ``memory[0x20000000]`` is a byte, ``memory[0x20000000:0x20000010]`` bytes; both can be set.

    Registers are read without the effects that reading has; written they have theirs.
    """

    def __init__(self, core: _core.Board) -> None:
        self._core = core

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> bytes: ...
    def __getitem__(self, place: int | slice) -> int | bytes:
        if isinstance(place, slice):
            start, length = _span(place)
            check_numbers(address=start)
            return self._core.read_memory(start, length)
        check_numbers(address=place)
        return self._core.read_memory(place, 1)[0]

    def __setitem__(self, place: int | slice, value: int | bytes) -> None:
        if isinstance(place, slice):
            start, length = _span(place)
            content = bytes([value]) * length if isinstance(value, int) else bytes(value)
            if len(content) != length:
                raise ValueError(f"{len(content)} bytes do not fill a slice of {length}")
            self._core.write_memory(start, content)
        else:
            self._core.write_memory(place, bytes([value]) if isinstance(value, int) else bytes(value))

    def word(self, address: int) -> int:
        """The 32-bit word at an address, little endian."""
        check_numbers(address=address)
        return int.from_bytes(self._core.read_memory(address, 4), "little")

    def set_word(self, address: int, value: int) -> None:
        """Set the 32-bit word at an address."""
        check_numbers(address=address, value=value)
        self._core.write_memory(address, value.to_bytes(4, "little"))


def _span(place: slice) -> tuple[int, int]:
    if place.start is None or place.stop is None or place.step not in (None, 1) or place.stop < place.start:
        raise ValueError("give both ends of a slice of memory, such as memory[0x20000000:0x20000100]")
    return place.start, place.stop - place.start
