"""Writes the table of ``docs/explanation/why-11-messages.md`` that CircuitPython itself gives, on the virtual board.

    AIRWIRE_IMAGES=FOLDER python tools/documents/circuitpython_rates.py --older FOLDER

Needs mtools, the image that tests/parity/README.md names, the libraries of tests/drivers/requirements.txt, and in the
folder of ``--older`` the release of the measurement's time:
``pip install --no-deps --target FOLDER adafruit-circuitpython-wiznet5k==5.0.2 adafruit-circuitpython-ticks==1.1.7``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from driver_rates import NEW, OLD, PAGE, PS_PER_MS, tables_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "parity"))

from circuitpython_image import measured_ping_pong

MESSAGES = 1000
COLLECTIONS: Mapping[tuple[str, bool], int] = {(NEW, False): 1, (NEW, True): 5, (OLD, False): 2, (OLD, True): 6}
"""Of each message: the page's table of what Python has to do."""


def image_table(older: Path) -> Iterator[str]:
    """What a message takes, and how much of it collections of garbage do."""
    yield "| release | debug | a message | messages/s | a collection | collections | all else |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    found = find_spec("adafruit_wiznet5k")
    assert found is not None and found.origin is not None
    for release, folder in ((NEW, Path(found.origin).parents[1]), (OLD, older)):
        for debug in (False, True):
            with tempfile.TemporaryDirectory() as work:
                run = measured_ping_pong(Path(work), folder, debug=debug, messages=MESSAGES)
            message_ms = run.total_ps / MESSAGES / PS_PER_MS
            collections = COLLECTIONS[release, debug]
            collected_ms = collections * run.collection_ps / PS_PER_MS
            yield (
                f"| {release} | {'on' if debug else 'off'} | {message_ms:.1f} ms | {1000 / message_ms:.1f} "
                f"| {run.collection_ps / PS_PER_MS:.2f} ms | {collections}, {collected_ms:.1f} ms "
                f"| {message_ms - collected_ms:.1f} ms |"
            )


def main() -> int:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="Write the table of CircuitPython's own image anew.")
    parser.add_argument("--older", type=Path, required=True, help=f"a folder with release {OLD} of the library")
    older = parser.parse_args().older
    made = {"image": "\n".join(image_table(older)) + "\n"}
    PAGE.write_text(tables_of(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
