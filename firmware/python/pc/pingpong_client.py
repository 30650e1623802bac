"""Ping-pong over TCP, the client, on a PC: ``python firmware/python/pc/pingpong_client.py 192.168.1.20``."""

import argparse
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pingpong import PingPongError, play, rate
from stream import TIMEOUT_S, Stream


def main():
    """Play, and print the rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="address or name")
    parser.add_argument("--port", type=int, default=5000)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--newline", action="store_true", help="a newline ends each number")
    options = parser.parse_args()
    try:
        with socket.create_connection((options.server, options.port), timeout=TIMEOUT_S) as connection:
            took_ms = play(
                Stream(connection),
                options.messages,
                lambda: time.monotonic_ns() // 1_000_000,
                lambda later, earlier: later - earlier,
                newline=options.newline,
            )
    except (OSError, PingPongError) as error:
        sys.exit(f"{options.server}:{options.port}: {error}")
    print(rate(options.messages, took_ms))


if __name__ == "__main__":
    main()
