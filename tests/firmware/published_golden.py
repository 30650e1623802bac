"""What ``suites/published.toml`` gives, a line for each row, and what changed since somebody looked at it last.

    make firmware && python tests/firmware/published_golden.py

runs the suite and writes the file anew, after a change that is meant.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import airwire
from airwire.explain.board.figures import figure_text, published_text, ratio_text
from airwire.explain.board.run import board_verdict
from airwire.model import Analysis, rows_of_boards

REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = REPOSITORY / "suites" / "published.toml"
FIRMWARE = REPOSITORY / "build" / "firmware"
GOLDEN = Path(__file__).with_name("published_golden.jsonl")
RENEW = "`python tests/firmware/published_golden.py` writes the file anew, if that is meant"
# The command of docs/how-to/run-the-published-suite.md, which the documents' test runs too: once a session is enough.
WHOLE = "airwire run suites/published.toml --out runs/published --report published.html > published.txt"
SOME_ROWS = (
    "pingpong",
    "pingpong-prints",
    "pingpong-polled",
    "pingpong-2mhz",
    "pingpong-circuitpython",
    "pingpong-lwip",
    "pingpong-lwip-64ms",
    "pingpong-lwip-rule",
    "echo-lwip",
    "echo-lwip-rule",
    "source-16-nagle",
    "ping-w5100-avr-bytes",
    "ping-small",
    "ping-polled-5ms",
    "wifi-ssi",
    "wired-static",
    "wired-static-flash",
    "wired-keep-alive",
    "wired-nagle",
    "download-w5500",
    "internet-w5500",
    "bulk-chip-20mhz",
    "options-default",
    "options-tuned",
)
"""Of each kind of row one, and what a change to it gives: the whole suite takes minutes."""
SOME = WHOLE.replace(" --out", f"{''.join(f' --only {name}' for name in SOME_ROWS)} --out")
Row = dict[str, str]


def rows_of(analysis: Analysis) -> dict[str, Row]:
    """By the row's name its figure, what was published, their ratio and the verdict's line."""
    return {
        row.path: {
            "value": figure_text(row.target.figure),
            "published": published_text(row.target.published),
            "ratio": ratio_text(row.target.published),
            "verdict": board_verdict(row).line,
        }
        for row in rows_of_boards(analysis)
    }


def golden() -> dict[str, Row]:
    """The rows as they were written last."""
    lines = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    return {line.pop("row"): line for line in lines}


def changes(before: Mapping[str, Row], now: Mapping[str, Row]) -> str | None:
    """Which rows changed and how, in one sentence; nothing where none did."""
    told = [f"{name} is new" for name in now if name not in before]
    told += [f"{name} is gone" for name in before if name not in now]
    for name in now.keys() & before.keys():
        fields = [field for field, text in now[name].items() if text != before[name].get(field)]
        if fields:
            told.append(
                f"{name} ({', '.join(f'{one} {before[name].get(one)!r} -> {now[name][one]!r}' for one in fields)})"
            )
    return f"{SUITE.name} gives other rows: {'; '.join(sorted(told))}; {RENEW}" if told else None


def measured() -> dict[str, Row]:
    """The rows of a run of the whole suite."""
    with tempfile.TemporaryDirectory() as folder:
        return rows_of(airwire.run(SUITE, firmware=FIRMWARE, out=Path(folder) / "run", intervals=False, findings=False))


def main() -> None:
    """Run the suite, write its rows, and say which are others than before."""
    now = measured()
    before = golden() if GOLDEN.is_file() else {}
    text = "".join(f"{json.dumps({'row': name, **row}, ensure_ascii=False)}\n" for name, row in now.items())
    GOLDEN.write_text(text, encoding="utf-8")
    print(changes(before, now) or f"{SUITE.name} gives the same rows as before.")


if __name__ == "__main__":
    main()
