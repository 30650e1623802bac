"""What is kept of a virtual board's run: edges of pins, frames on the wire, traces and profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from airwire import _core
from airwire.board.model import FunctionCycles, PinEdge, Profile
from airwire.outputs import why_kept


class BoardRecordings:
    """The part of a board that records."""

    _core: _core.Board
    _inputs: Mapping[str, str | Path | None]
    """The files that it was made of, by what they are called: no recording is written over one."""

    @property
    def edges(self) -> list[PinEdge]:
        """Every edge of every pin so far; raises ``AirwireError`` where they are not recorded."""
        names: dict[int, str] = {}
        for name, gpio in self._core.pin_names:
            names.setdefault(gpio, name)
        return [PinEdge(time_ps, names[gpio], level) for time_ps, gpio, level in self.edges_by_gpio()]

    def edges_by_gpio(self, *, after_ps: int = -1, gpio: int | None = None) -> list[tuple[int, int, bool]]:
        """Time in picoseconds, GPIO and new level of every edge later than ``after_ps``; ``gpio`` picks one pin.

        The bits of a frame on a bus are known when the frame is over, and then stand among edges that were there
        before. Those of one pin only become more, so a run is followed pin by pin, from the last edge that was seen.
        Raises ``AirwireError`` where they are not recorded.
        """
        self._check_recording()
        return self._core.edges(after_ps, gpio)

    @property
    def edge_count(self) -> int:
        """How many edges there are so far; raises ``AirwireError`` where they are not recorded."""
        self._check_recording()
        return self._core.edge_count

    def write_vcd(self, path: str | Path) -> int:
        """Write all edges as a value change dump; how many there was no room for."""
        self._check_recording()
        self._keep_inputs(path)
        return self._core.write_vcd(path)

    def start_trace(self, path: str | Path) -> None:
        """Write a trace for Perfetto or Chrome from here on; the file appears with :meth:`end_trace`.

        The board runs slower meanwhile.
        """
        self._keep_inputs(path)
        self._core.start_trace(path)

    def end_trace(self) -> int:
        """End the trace; how many events there was no room for."""
        return self._core.end_trace()

    def start_profile(self) -> None:
        """Count the cycles of every function from here on. The board runs slower meanwhile."""
        self._core.start_profile()

    def end_profile(self, title: str = "Cycles by function") -> Profile:
        """End the profile and give it."""
        ended = self._core.end_profile(title)
        if ended is None:
            raise _core.AirwireError("no profile was started")
        content, flame_graph = ended
        figures = json.loads(content)
        functions = [FunctionCycles(**function) for function in figures["functions"]]
        return Profile(figures["cycles"], figures["asleep_cycles"], functions, flame_graph)

    def start_pcap(self, path: str | Path, *, spi: bool = False) -> None:
        """Write every frame on the cable of the board's Ethernet chip from here on as pcapng, for Wireshark.

        With ``spi`` the chip's register accesses are in it too, in words, as comments on an interface of their own.
        The file appears with :meth:`end_pcap`.
        """
        self._keep_inputs(path)
        self._core.start_capture(path, spi)

    def end_pcap(self) -> None:
        """Finish the file of :meth:`start_pcap`."""
        self._core.end_capture()

    def _keep_inputs(self, path: str | Path) -> None:
        if (why := why_kept(path, self._inputs)) is not None:
            raise _core.AirwireError(why)

    def _check_recording(self) -> None:
        if not self._core.records:
            raise _core.AirwireError("this board does not record its pins; make it with record=True")
