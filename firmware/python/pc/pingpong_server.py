"""Ping-pong over TCP, the server, on a PC: ``python firmware/python/pc/pingpong_server.py --port 5000``."""

import argparse
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pingpong import PingPongError, answer_all
from stream import Stream


def main():
    """Answer one client after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=5000)
    parser.add_argument("--connections", type=int, help="how many to serve; for ever without it")
    parser.add_argument("--newline", action="store_true", help="a newline ends each number")
    options = parser.parse_args()
    listener = socket.create_server(("", options.port))
    print(f"listening on port {options.port}", flush=True)
    served = 0
    while served != options.connections:
        connection, peer = listener.accept()
        with connection:
            try:
                answered = answer_all(Stream(connection), newline=options.newline)
                print(f"{peer[0]}: {answered} numbers answered", flush=True)
            except PingPongError as error:
                print(f"{peer[0]}: connection given up: {error}", flush=True)
        served += 1


if __name__ == "__main__":
    main()
