# mypy: ignore-errors
"""What happens to the board, as the test says in ``plan.json``, and what happened, in ``notes.txt``.

``chip``: "W5500", "W5100S", or None; ``wedged``: it answers only after a reset; ``link_ms`` and ``lease_ms``: when
after ``active(True)`` the link comes and how long DHCP then takes (None: never); ``in_chip``: a build that uses the
chip's TCP; ``most_sent``: how many bytes a socket takes at a time.
"""

import json
import time

CS, RST = 17, 20

with open("plan.json") as file:
    SAID = json.load(file)

CHIP = SAID.get("chip", "W5500")
IN_CHIP = SAID.get("in_chip", False)
header = b""
reset_ended_ms = None
active_ms = None


def note(text):
    with open("notes.txt", "a") as file:
        file.write(text + "\n")


def register(header):
    """What a register reads; nobody is there: a line that is pulled up."""
    if CHIP is None or (SAID.get("wedged") and reset_ended_ms is None):
        return 0xFF
    return {("W5500", b"\x00\x39\x00"): 4, ("W5100S", b"\x0f\x00\x80"): 0x51}.get((CHIP, header), 0)


def has_link():
    link_ms = SAID.get("link_ms", 0)
    return active_ms is not None and link_ms is not None and time.ticks_diff(time.ticks_ms(), active_ms) >= link_ms
