"""Pads a boot2 to 252 bytes and appends the checksum by which the boot ROM knows it.

The checksum is a CRC-32 with polynomial 04c11db7, start value ffffffff, no reflection and no final inversion
(RP2040 datasheet 2.8.1.3.1). Usage: make_boot2.py INPUT.bin OUTPUT.bin
"""

import pathlib
import sys

CODE_BYTES = 252


def checksum(data: bytes) -> int:
    """The boot ROM's CRC-32 of `data`."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ 0x04C11DB7 if crc & 0x80000000 else crc << 1
            crc &= 0xFFFFFFFF
    return crc


def main() -> None:
    """Reads the code, writes 256 bytes."""
    source, destination = map(pathlib.Path, sys.argv[1:])
    code = source.read_bytes()
    if len(code) > CODE_BYTES:
        sys.exit(f"{source}: boot2 has {len(code)} bytes, but only {CODE_BYTES} fit.")
    padded = code.ljust(CODE_BYTES, b"\0")
    destination.write_bytes(padded + checksum(padded).to_bytes(4, "little"))


if __name__ == "__main__":
    main()
