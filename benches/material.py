"""Synthetic captures for the benches, written once into a folder and reused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from random import Random

MESSAGES = 2_500_000
START_S = 1_700_000_000


def logic2_csv(path: Path, *, channels: int = 2, iso: bool = True, messages: int = MESSAGES) -> Path:
    """A Logic 2 export of ``messages`` messages, 4 rows each; 40 bytes a row for two channels in ISO 8601."""
    if path.exists():
        return path
    rest = ",0" * (channels - 2)
    with path.open("w", newline="\n") as file:
        file.write("Time [s]," + ",".join(f"Channel {k}" for k in range(channels)) + "\n")
        random = Random(1)
        zone = "+00:00" if iso else ""
        file.write(f"{_iso(START_S) if iso else 0}.{0:09d}{zone},0,0{rest}\n")
        for k in range(messages):
            second, base = START_S + k // 400, k % 400 * 2_500_000 + 1_000
            stamp = _iso(second) if iso else f"{second - START_S}"
            latency = random.randrange(100_000, 1_000_000)
            file.writelines(
                f"{stamp}.{base + offset:09d}{zone},{trigger},{done}{rest}\n"
                for offset, trigger, done in (
                    (0, 1, 0),
                    (50_000, 0, 0),
                    (50_000 + latency, 0, 1),
                    (60_000 + latency, 0, 0),
                )
            )
    return path


def _iso(second: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def sal(path: Path, *, messages: int = MESSAGES) -> Path:
    """A Saleae session of two channels and ``messages`` messages, in the layout of real files (member version 1)."""
    if path.exists():
        return path
    random = Random(2)
    period, width = 20_000, 500
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr("meta.json", json.dumps({"version": 15, "data": {"rowsSettings": []}}))
        for channel in (0, 1):
            blocks, begin = [], 0
            for first in range(0, messages, 5_000):
                runs: list[int] = []
                level_time = 0
                for k in range(min(5_000, messages - first)):
                    rise = k * period + 1 + (channel * random.randrange(1_000, 15_000))
                    runs += [rise - level_time, width]
                    level_time = rise + width
                length = 5_000 * period
                runs.append(length - level_time)
                blocks.append(_block(begin, length, runs))
                begin += length
            archive.writestr(f"digital-{channel}.bin", _header(len(blocks)) + b"".join(blocks))
    return path


def _header(blocks: int) -> bytes:
    import struct

    return b"<SALEAE>" + struct.pack("<iiB", 1, 100, 1) + struct.pack("<dQdBBQ", 1e8, START_S * 1000, 0.0, 0, 0, blocks)


def _block(begin: int, length: int, runs: list[int]) -> bytes:
    import struct

    data = b"".join(_run(run - 1) for run in runs)
    head = struct.pack("<6Q", begin, begin + length, length, 100_000_000, 1, len(data))
    return head + data + struct.pack("<QQQi", 1, 0, 0, 0)


def _run(value: int) -> bytes:
    groups = []
    while value >= 0x40:
        groups.append(value & 0x7F)
        value >>= 7
    groups.append(value)
    groups.reverse()
    first = groups[0] | (0x40 if len(groups) > 1 else 0)
    rest = [group | (0x80 if k < len(groups) - 2 else 0) for k, group in enumerate(groups[1:])]
    return bytes([first, *rest])
