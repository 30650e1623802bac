"""``python -m benches.outside [RUNS] [NAME]``: each case so many times in a network namespace; a table of the counts.

Needs root or user namespaces, ``ip``, /dev/net/tun and, for the recordings, ``dumpcap``; virtual boards need
``make firmware``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence

from benches.outside.cases import CASES
from benches.outside.one import run_case

INSIDE = "--inside"


def main(arguments: Sequence[str]) -> None:
    """Runs itself again in a namespace for each case, or is that run."""
    if arguments[:1] == [INSIDE]:
        run_case(CASES[int(arguments[1])], int(arguments[2]))
        return
    runs = int(arguments[0]) if arguments else 20
    wanted = arguments[1] if len(arguments) > 1 else ""
    if shutil.which("unshare") is None:
        sys.exit("unshare is not installed: no network namespace can be made")
    print("| peer | verdict by samples | right | verdict with packets | right |\n|---|---|---|---|---|", flush=True)
    for number, case in enumerate(CASES):
        if wanted in case.name:
            again = [sys.executable, "-m", "benches.outside", INSIDE, str(number), str(runs)]
            subprocess.run(["unshare", "--user", "--map-root-user", "--net", *again], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
