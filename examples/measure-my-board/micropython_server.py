"""A ping-pong server for MicroPython: answers each number with the next one. Copy it to the board as main.py, after the
lines that join your network."""

import socket

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(socket.getaddrinfo("0.0.0.0", 5000)[0][-1])
listener.listen(1)
while True:
    connection, peer = listener.accept()
    while True:
        text = connection.recv(64)
        if not text:
            break
        connection.send(str(int(text) + 1).encode())
    connection.close()
