"""``airwire compare`` of two captures: what each lost, and when the gate cannot be passed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import airwire as package

Airwire = Callable[..., subprocess.CompletedProcess[str]]
MESSAGES = 40


def write_capture(file: Path, keep: int, messages: int = MESSAGES, after_ms: float = 1) -> None:
    """Messages every 10 ms, of which the first ``keep`` arrive, each so long after its trigger.

    Something arrives before the first of them, so that no channel is still.
    """
    rows = ["Time [s],Channel 0,Channel 1", "0.0000,0,0", "0.0010,0,1", "0.0020,0,0"]
    for number in range(messages):
        at = 0.01 * (number + 1)
        rows.append(f"{at:.4f},1,0")
        if number < keep:
            rows.append(f"{at + after_ms / 1000:.4f},1,1")
        rows.append(f"{at + 0.005:.4f},0,0")
    file.write_text("\n".join(rows) + "\n", encoding="ascii")


def compared(airwire: Airwire, *options: str) -> tuple[int, str, str]:
    """Exit code, what is printed and what is complained of, each in one line."""
    done = airwire("compare", "a.csv", "b.csv", *options)
    return done.returncode, " ".join(done.stdout.split()), done.stderr.strip()


def test_what_each_capture_lost_is_told_where_it_differs(airwire: Airwire, tmp_path: Path) -> None:
    write_capture(tmp_path / "a.csv", 40)
    write_capture(tmp_path / "b.csv", 9)
    code, said, complained = compared(airwire)
    assert (code, complained) == (0, "")
    assert "a.csv lost 0 of 40 messages, and b.csv lost 31 of 40 messages." in said
    told = json.loads(compared(airwire, "--json")[1])
    assert (told["messages"], told["loss"]) == ([40, 40], [0, 31 / 40])
    write_capture(tmp_path / "b.csv", 40)
    assert " lost " not in compared(airwire)[1]


def test_a_message_that_the_end_of_the_recording_cut_off_is_a_loss_nowhere(airwire: Airwire, tmp_path: Path) -> None:
    for name in ("a", "b"):
        rows = ["Time [s],Channel 0,Channel 1", "0.0000,0,0"]
        for number in range(100):
            at = 0.01 * (number + 1)
            rows.append(f"{at:.4f},1,0")
            if number % 2 == 0 and name == "b":
                rows += [f"{at + 0.002:.4f},1,1", f"{at + 0.003:.4f},1,0"]
            if name == "a":
                rows += [f"{at + 0.001:.4f},1,1", f"{at + 0.0015:.4f},1,0"]
            # The recording ends 1 ms after the last trigger, where a message takes 2 ms.
            rows.append(f"{at + (0.001 if number == 99 and name == 'b' else 0.005):.4f},0,0")
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="ascii")

    said = " ".join(airwire("analyze", "b.csv", "--report", "page.html").stdout.split())
    assert "49 messages of 99 (49 %) had no completion of their own" in said
    assert "b.csv lost 49 of 99 messages" in compared(airwire)[1]
    told = json.loads(compared(airwire, "--json")[1])
    assert (told["messages"], told["loss"]) == ([100, 99], [0, 49 / 99])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "49 of 99 messages (49 %) have no pair." in page
    airwire("analyze", "b.csv", "--out", "run")
    (kept,) = package.load_run(tmp_path / "run", findings=False).captures
    assert (kept.lost, kept.messages, kept.outcomes["missed"]) == (49, 99, 50)


@pytest.mark.parametrize(
    ("keep", "complaint"),
    [
        (
            9,
            "airwire: b.csv lost 78 % of its messages and a.csv lost 0 %, which differs by more than 5 % of the "
            "messages",
        ),
        (0, "airwire: b.csv: no figure any more, where a.csv has one"),
        (39, ""),
    ],
    ids=["most", "all", "within the bound"],
)
def test_the_gate_fails_where_b_loses_more_messages_than_the_bound_allows(
    airwire: Airwire, tmp_path: Path, keep: int, complaint: str
) -> None:
    write_capture(tmp_path / "a.csv", 40)
    write_capture(tmp_path / "b.csv", keep)
    code, _, complained = compared(airwire, "--slower-than", "5%")
    assert (code, complained) == (1 if complaint else 0, complaint)


def test_the_gate_fails_where_too_few_messages_arrived_to_judge_it(airwire: Airwire, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write_capture(tmp_path / name, 7, messages=7)
    code, said, complained = compared(airwire, "--slower-than", "5%")
    assert (code, complained) == (
        1,
        "airwire: whether b.csv is slower than a.csv cannot be told from fewer than 8 messages on a side; measure more",
    )
    assert "The medians of a.csv and b.csv are the same, but fewer than 8 messages on a side give no interval" in said
    assert compared(airwire)[0] == 0, "without a gate there is nothing to fail"


@pytest.mark.parametrize(("most", "code"), [("250%", 1), ("350%", 0), ("3.5", 0), ("2.5", 1)])
def test_a_gate_may_be_above_what_takes_twice_as_long(airwire: Airwire, tmp_path: Path, most: str, code: int) -> None:
    # Four times as long is 300 % slower.
    write_capture(tmp_path / "a.csv", 40)
    write_capture(tmp_path / "b.csv", 40, after_ms=4)
    assert compared(airwire, "--slower-than", most)[0] == code


def test_no_share_of_a_median_of_nothing_is_told(airwire: Airwire, tmp_path: Path) -> None:
    write_capture(tmp_path / "a.csv", 40, after_ms=0)
    write_capture(tmp_path / "b.csv", 40)
    code, _, complained = compared(airwire, "--slower-than", "5%")
    assert (code, complained) == (1, "airwire: b.csv is slower than a.csv by 1 ms, where the median of a.csv is 0 s")


def test_a_trigger_that_bounces_has_lost_nothing(airwire: Airwire, tmp_path: Path) -> None:
    write_capture(tmp_path / "a.csv", 40)
    rows = (tmp_path / "a.csv").read_text(encoding="ascii").splitlines()
    bounced = []
    for row in rows:
        at, trigger, done = row.split(",")
        bounced.append(row)
        if (trigger, done) == ("1", "0"):
            # 10 us and 20 us later, where messages are 10 ms apart.
            bounced += [f"{float(at) + 1e-5:.5f},0,0", f"{float(at) + 2e-5:.5f},1,0"]
    (tmp_path / "b.csv").write_text("\n".join(bounced) + "\n", encoding="ascii")
    assert json.loads(airwire("analyze", "b.csv", "--json").stdout)["captures"][0]["outcomes"]["glitch"] == 40
    code, said, complained = compared(airwire, "--slower-than", "5%")
    assert (code, complained) == (0, "") and " lost " not in said
    assert json.loads(compared(airwire, "--json")[1])["loss"] == [0, 0]
    airwire("analyze", "b.csv", "--out", "run")
    airwire("history", "add", "run")
    assert " 0 % " in airwire("history", "trend", "b.csv", "--metric", "loss").stdout
