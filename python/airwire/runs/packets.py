"""The packets of a board at an address, recorded by this computer while it is measured, and kept in the run folder."""

from __future__ import annotations

import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from airwire import _core
from airwire.address.place import host_and_port
from airwire.explain.address.run import recording_of
from airwire.scratch import ScratchFolder

if TYPE_CHECKING:
    from airwire.model import Analysis


@dataclass
class PacketRecording:
    """Records from entering to leaving: ``with PacketRecording("192.168.1.50") as packets: ...``.

    Raises ``AirwireError`` where this user may not, or nobody knows the address.
    """

    address: str
    """Of the board, or its name; with a port or without."""
    count: int = 0
    """How many packets it has, once it is over."""
    missing: int = 0
    """How many passed that it does not have."""

    def __enter__(self) -> Self:
        host, _ = host_and_port(self.address)
        try:
            resolved = socket.gethostbyname(host)
        except OSError:
            raise _core.AirwireError(
                f"{host!r} is no address that this computer knows; give the board's IPv4 address"
            ) from None
        self._folder = ScratchFolder("airwire-")
        self._file = self._folder.path / "packets.pcapng"
        try:
            self._recorder = _core.PacketRecorder(self._file, resolved)
        except BaseException:
            self._folder.remove()
            raise
        return self

    def keep(self, analysis: Analysis) -> Path | None:
        """End it, and put it into the run folder of what was measured meanwhile; nothing where there is none."""
        self.count, self.missing = self._recorder.stop()
        row = next(iter(analysis.captures), None)
        if analysis.run_folder is None or row is None:
            return None
        kept = recording_of(analysis.run_folder, row.path)
        kept.parent.mkdir(exist_ok=True)
        shutil.move(self._file, kept)
        return kept

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del self._recorder
        self._folder.remove()
