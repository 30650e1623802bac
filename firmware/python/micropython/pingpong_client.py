"""Ping-pong over TCP, the client, for MicroPython on a board with a WIZnet chip: prints messages per second.

Copy it to the board with ``readiness.py`` and ``streams.py`` of this folder and ``pingpong.py`` of the one above.
Pins, SPI clock and the board's address are set in ``readiness.py``.
"""

import time

import readiness
import streams
from pingpong import play, rate

SERVER, PORT = "192.168.1.1", 5000
MESSAGES = 1000
NEWLINE = False  # whether a newline ends each number; as published: none
VERBOSE = False  # a print costs more than a message does
TIMEOUT_MS = 5_000


def main():
    """Wait until the board can connect, play, print the rate."""
    begin = time.ticks_ms()
    nic = readiness.ready()
    print("ready after %d ms: %s" % (time.ticks_diff(time.ticks_ms(), begin), nic.ifconfig()[0]))
    stream = streams.connect(SERVER, PORT, TIMEOUT_MS, not readiness.has_lwip(nic), lambda: readiness.missing(nic))
    try:
        print(rate(MESSAGES, play(stream, MESSAGES, time.ticks_ms, time.ticks_diff, NEWLINE, VERBOSE)))
    finally:
        stream.close()


if __name__ == "__main__":
    main()
