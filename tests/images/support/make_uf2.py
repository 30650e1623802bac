"""Makes a UF2 file for the RP2040 out of a raw binary.

A block holds 256 bytes of payload, its address a multiple of 256; the last one is padded with zeros (UF2
specification; RP2040 datasheet 2.8.5). Usage: make_uf2.py BASE_ADDRESS INPUT.bin OUTPUT.uf2
"""

import pathlib
import struct
import sys

PAYLOAD_BYTES = 256
MAGIC_START = (0x0A324655, 0x9E5D5157)
MAGIC_END = 0x0AB16F30
FLAG_FAMILY = 0x2000
FAMILY_RP2040 = 0xE48BFF56


def main() -> None:
    """Reads the binary, writes one block for each 256 bytes."""
    base = int(sys.argv[1], 0)
    source, destination = map(pathlib.Path, sys.argv[2:])
    data = source.read_bytes()
    count = (len(data) + PAYLOAD_BYTES - 1) // PAYLOAD_BYTES
    blocks = bytearray()
    for number in range(count):
        payload = data[number * PAYLOAD_BYTES : (number + 1) * PAYLOAD_BYTES].ljust(476, b"\0")
        address = base + number * PAYLOAD_BYTES
        head = (*MAGIC_START, FLAG_FAMILY, address, PAYLOAD_BYTES, number, count, FAMILY_RP2040)
        blocks += struct.pack("<8I", *head) + payload + struct.pack("<I", MAGIC_END)
    destination.write_bytes(blocks)


if __name__ == "__main__":
    main()
