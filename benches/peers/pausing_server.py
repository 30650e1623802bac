"""An HTTP server that answers nobody for a while in each period: ``pausing_server.py PORT PAUSE_S EVERY_S``."""

from __future__ import annotations

import selectors
import socket
import sys
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n"


def main() -> None:
    """Serves until somebody ends it."""
    port, pause_s, every_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    ready = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", port), backlog=256)
    ready.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            phase = time.monotonic() % every_s
            if phase < pause_s:
                time.sleep(pause_s - phase)
            asked = key.fileobj
            assert isinstance(asked, socket.socket)
            if asked is listener:
                ready.register(listener.accept()[0], selectors.EVENT_READ)
            elif asked.recv(4096):
                asked.sendall(ANSWER)
            else:
                ready.unregister(asked)
                asked.close()


if __name__ == "__main__":
    main()
