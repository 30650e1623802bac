"""A trigger line that rings: most of its edges are no messages, and the advice says so."""

from __future__ import annotations

from pathlib import Path

import airwire

MESSAGES = 40
BOUNCES = 200


def ringing(folder: Path) -> Path:
    """Messages every 50 ms that are answered after 10 ms; behind each, the trigger rings for 40 us."""
    rows = ["Time [s],Trigger,Done"]
    for message in range(MESSAGES):
        start = 0.05 * message
        rows.append(f"{start:.7f},1,0")
        rows += [f"{start + 1e-6 + place * 1e-7:.7f},{place % 2},0" for place in range(2 * BOUNCES)]
        rows += [f"{start + 0.01:.7f},0,1", f"{start + 0.02:.7f},0,0"]
    file = folder / "12B.csv"
    file.write_text("\n".join(rows) + "\n", encoding="ascii")
    return file


def test_a_trigger_that_rings_is_not_told_as_a_link_that_loses(tmp_path: Path) -> None:
    file = ringing(tmp_path)
    (capture,) = airwire.analyze(file).captures
    assert capture.outcomes["missed"] > 100 * MESSAGES
    (found,) = [one for one in capture.findings if one.kind == "loss_as_latency"]
    assert "Where it rings or bounces" in found.next_step and "--glitch 1ms" in found.next_step
    # What it advises helps.
    (mended,) = airwire.analyze(file, glitch="1 ms").captures
    assert (mended.outcomes["paired"], mended.outcomes["missed"]) == (MESSAGES, 0)
    assert mended.latency_ps is not None and mended.latency_ps["p50"] == 10 * 10**9
