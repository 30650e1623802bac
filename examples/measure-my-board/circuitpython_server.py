"""A ping-pong server for CircuitPython on a board with Wi-Fi: answers each number with the next one. Copy it to the board
as code.py; name and password of the network stand in settings.toml."""

import os

import socketpool
import wifi

wifi.radio.connect(os.getenv("CIRCUITPY_WIFI_SSID"), os.getenv("CIRCUITPY_WIFI_PASSWORD"))
pool = socketpool.SocketPool(wifi.radio)
listener = pool.socket(pool.AF_INET, pool.SOCK_STREAM)
listener.bind(("0.0.0.0", 5000))
listener.listen(1)
text = bytearray(64)
while True:
    connection, peer = listener.accept()
    while True:
        count = connection.recv_into(text)
        if count == 0:
            break
        connection.send(str(int(text[:count]) + 1).encode())
    connection.close()
