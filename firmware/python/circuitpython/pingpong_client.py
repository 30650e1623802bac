"""Ping-pong over TCP, the client, for CircuitPython on a board with a WIZnet chip: prints messages per second.

Copy it to the board as ``code.py``, with ``readiness.py`` and ``streams.py`` of this folder and ``pingpong.py`` of
the one above; into ``lib`` go adafruit_wiznet5k and adafruit_ticks. Pins, SPI clock and the board's address are set
in ``readiness.py``.
"""

import readiness
import streams
from adafruit_ticks import ticks_diff, ticks_ms
from pingpong import play, rate

SERVER, PORT = "192.168.1.1", 5000
MESSAGES = 1000
NEWLINE = False  # whether a newline ends each number; as published: none
VERBOSE = False  # a print costs more than a message does
TIMEOUT_MS = 5_000


def main():
    """Wait until the board can connect, play, print the rate."""
    begin = ticks_ms()
    chip = readiness.ready()
    print("ready after %d ms: %s" % (ticks_diff(ticks_ms(), begin), chip.ipv4_address))
    stream = streams.connect(chip, SERVER, PORT, TIMEOUT_MS, lambda: readiness.missing(chip))
    try:
        print(rate(MESSAGES, play(stream, MESSAGES, ticks_ms, ticks_diff, NEWLINE, VERBOSE)))
    finally:
        stream.close()


if __name__ == "__main__":
    main()
