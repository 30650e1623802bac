"""A message of the one-way latency agent, as firmware/protocols/oneway/oneway_message.h describes it."""

from __future__ import annotations

import struct
import zlib


def message(sequence: int, size: int) -> bytes:
    """Mark, length, sequence number, bytes that count up, and the CRC-32 of all that."""
    head = b"\xa5\x57" + struct.pack(">HI", size, sequence)
    body = head + bytes((sequence + at) & 0xFF for at in range(8, size - 4))
    return body + struct.pack(">I", zlib.crc32(body))
