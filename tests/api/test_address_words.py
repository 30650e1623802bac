"""What is said of a board at an address, and of how much of it is this computer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from airwire.address.row import OwnFloor
from airwire.explain.address import run


@pytest.mark.parametrize(
    ("unit", "figure", "sentence"),
    [
        (
            "requests/s",
            5908.0,
            "By itself this computer reaches 5 908 requests/s over loopback, so that it takes 9.6 % of the time.",
        ),
        ("ps", 96e6, "By itself this computer reaches 96 us over loopback, 9.6 % of what was measured."),
    ],
    ids=["rate", "latency"],
)
def test_the_share_of_this_computer_is_one_of_the_time_whatever_the_figure_is(
    monkeypatch: pytest.MonkeyPatch, unit: str, figure: float, sentence: str
) -> None:
    monkeypatch.setattr(run, "outside_verdicts", lambda *_: [])
    target = SimpleNamespace(
        unit=unit,
        figure=SimpleNamespace(value=569.5, unit=unit, interval=None),
        floor=OwnFloor(figure, None, None, 100, 0.096),
        problem=None,
        arrival_clock="program",
        published=None,
    )
    row: Any = SimpleNamespace(target=target, latency_ps=None, findings=[], outcomes={"paired": 100, "missed": 0})
    assert sentence in run.address_verdict(row).details
