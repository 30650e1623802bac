"""A ping-pong client for MicroPython: sends each answer plus one. Set HOST to the address that `airwire serve pingpong`
prints, and copy it to the board as main.py, after the lines that join your network."""

import socket

HOST, PORT, ROUNDS = "192.168.1.10", 5000, 1000

connection = socket.socket()
connection.connect(socket.getaddrinfo(HOST, PORT)[0][-1])
number = 1
for _ in range(ROUNDS):
    connection.send(str(number).encode())
    number = int(connection.recv(64)) + 1
connection.close()
