"""A sigrok-cli of the tests' own, for what the demo device never does: it is unplugged, refuses, or has little memory.

``install`` puts it into a folder for ``PATH``. Its messages and their latencies are known: a trigger comes each 1 ms,
and the done edge of the ``n``th 100 us later, and 1 us more for each of ``n % 50``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

INTERVAL_US, FIRST_LATENCY_US, STEPS = 1000, 100, 50

_PROGRAM = '''#!{python} -S
import json, os, select, sys, time
does = json.loads({does!r})
if "--show" in sys.argv:
    print("stand-in - a device with 3 channels: D0 D1 D2")
    sys.exit(0)
if "--continuous" in sys.argv and not does["continuous"]:
    print("This device does not support continuous sampling.", file=sys.stderr)
    sys.exit(1)
if does["says"] and not does["messages"]:
    print(does["says"], file=sys.stderr)
    sys.exit(1)
out = sys.stdout
out.write("""$date today $end
$version libsigrok 0.5.2 $end
$comment
  Acquisition with 3/3 channels at 1 MHz
$end
$timescale 1 us $end
$scope module libsigrok $end
$var wire 1 ! D0 $end
$var wire 1 " D1 $end
$var wire 1 # D2 $end
$upscope $end
$enddefinitions $end
#0 0! 0" 0#
""")
end = 0
for n in range(does["messages"]):
    if does["pause_s"] and select.select([0], [], [], does["pause_s"])[0]:
        break
    begins = 400 + n * {interval}
    done = begins + {first} + n % {steps}
    lines = "#%d 1!\\n#%d 0!\\n#%d 1\\"\\n#%d 0\\"\\n" % (begins, begins + 20, done, done + 20)
    cut = len(lines) // 2
    out.write(lines[:cut]); out.flush(); out.write(lines[cut:]); out.flush()
    end = done + 500
if does["says"]:
    print(does["says"], file=sys.stderr)
    sys.exit(1)
if does["waits"]:
    select.select([0], [], [], 30)
out.write("#%d\\n" % end)
'''


def install(
    folder: Path,
    *,
    messages: int = 0,
    says: str = "",
    continuous: bool = True,
    waits: bool = False,
    pause_s: float = 0.0,
) -> Path:
    """A sigrok-cli that sends so many messages, then complains, waits for a key, or ends."""
    does = {"messages": messages, "says": says, "continuous": continuous, "waits": waits, "pause_s": pause_s}
    program = folder / "sigrok-cli"
    folder.mkdir(exist_ok=True)
    program.write_text(
        _PROGRAM.format(
            python=sys.executable,
            does=json.dumps(does),
            interval=INTERVAL_US,
            first=FIRST_LATENCY_US,
            steps=STEPS,
        )
    )
    program.chmod(0o755)
    return folder


def latencies_us(messages: int) -> list[int]:
    """The latencies of so many messages."""
    return [FIRST_LATENCY_US + n % STEPS for n in range(messages)]
