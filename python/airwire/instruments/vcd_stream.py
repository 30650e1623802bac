"""A value change dump as sigrok-cli streams it, into changes: what came so far, however it was cut into blocks.

sigrok writes times in units that are rarely the period of the samples. Where the rate is told, times are those of the
samples, exactly. Leaves out all that sigrok does not write: vectors, scopes, real numbers. Files are read by the core.
"""

from __future__ import annotations

import re

from airwire.instruments.base import PS_PER_S, Change, InstrumentError

_UNITS_PS = {b"s": 10**12, b"ms": 10**9, b"us": 10**6, b"ns": 10**3, b"ps": 1}
_TIMESCALE = re.compile(rb"\$timescale\s+(\d+)\s*(s|ms|us|ns|ps)\s+\$end")
_WIRE = re.compile(rb"\$var\s+wire\s+1\s+(\S+)\s+(\S+)\s+\$end")
_RATE = re.compile(rb"channels? at ([0-9]+)(?:\.([0-9]+))? (Hz|kHz|MHz|GHz)\b")
_RATE_DIGITS = {b"Hz": 0, b"kHz": 3, b"MHz": 6, b"GHz": 9}
_END_OF_HEADER = b"$enddefinitions $end"
_MOST_HEADER_BYTES = 1 << 20


class VcdStream:
    """Takes blocks of bytes, gives changes of the two channels."""

    def __init__(self, trigger: str, done: str) -> None:
        self.rate_hz: int | None = None
        self.end_ps = 0
        self._names = (trigger, done)
        self._unit_ps = 0
        self._levels: dict[bytes, bool] = {}
        self._wires = (b"", b"")
        self._rest = b""
        self._told: tuple[bool, bool] | None = None

    def feed(self, block: bytes) -> list[Change]:
        """The changes in what came now; a line that is not whole yet waits for the next block."""
        text = self._rest + block
        if not self._unit_ps:
            head, end, body = text.partition(_END_OF_HEADER)
            if not end:
                if len(text) > _MOST_HEADER_BYTES:
                    raise InstrumentError("sigrok-cli writes no value change dump; install sigrok-cli 0.7.2 or later")
                self._rest = text
                return []
            self._read_header(head)
            text = body
        whole, newline, self._rest = text.rpartition(b"\n")
        return self._changes(whole) if newline else []

    def _read_header(self, head: bytes) -> None:
        scale, rate = _TIMESCALE.search(head), _RATE.search(head)
        wires = {name.decode(errors="replace"): wire for wire, name in _WIRE.findall(head)}
        missing = next((name for name in self._names if name not in wires), None)
        if scale is None or missing is not None:
            there = ", ".join(wires) or "none"
            raise InstrumentError(f"sigrok-cli tells nothing of a channel {missing}; its channels are {there}")
        self._unit_ps = int(scale[1]) * _UNITS_PS[scale[2]]
        self._wires = (wires[self._names[0]], wires[self._names[1]])
        if rate is not None:
            digits = _RATE_DIGITS[rate[3]]
            self.rate_hz = int(rate[1] + (rate[2] or b"")[:digits].ljust(digits, b"0")) or None

    def _changes(self, lines: bytes) -> list[Change]:
        found: list[Change] = []
        trigger, done = self._wires
        for line in lines.splitlines():
            for token in line.split():
                if token[0] == ord("#"):
                    self.end_ps = max(self.end_ps, self._time_ps(token))
                else:
                    # What is neither high nor low keeps the level, as in the core's reader.
                    self._levels[token[1:]] = token[:1] == b"1" or (
                        token[:1] != b"0" and self._levels.get(token[1:], False)
                    )
            if trigger not in self._levels or done not in self._levels:
                continue
            levels = (self._levels[trigger], self._levels[done])
            if levels != self._told:
                found.append(Change(self.end_ps, *levels))
                self._told = levels
        return found

    def _time_ps(self, token: bytes) -> int:
        if not token[1:].isdigit():
            return self.end_ps
        time_ps = int(token[1:]) * self._unit_ps
        if self.rate_hz is None or self._unit_ps * self.rate_hz > PS_PER_S:
            return time_ps
        return (time_ps * self.rate_hz + PS_PER_S // 2) // PS_PER_S * PS_PER_S // self.rate_hz
