"""The constants of the suite's Wi-Fi hop and the page's table are what ``wifi_hop_fit.py`` derives."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest
from docs_console import REPOSITORY


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(REPOSITORY / "tools" / "documents")
    return importlib.import_module("wifi_hop_fit")


def test_the_constants_of_the_suite_come_from_the_published_ping(script: Any, firmware: Path) -> None:
    fit = script.fitted(firmware)
    suite = tomllib.loads((REPOSITORY / "suites" / "published.toml").read_text(encoding="utf-8"))
    hops = [entry["network"]["wifi"] for entry in suite["boards"].values() if "wifi" in entry.get("network", {})]
    assert len(hops) == 2
    for hop in hops:
        assert hop == {
            "station_time": f"{fit.station_time_ms} ms",
            "access_point_time": f"{fit.access_point_time_ms} ms",
            "medium_load": fit.medium_load,
        }
    assert script.table(fit) in script.PAGE.read_text(encoding="utf-8")


def test_nothing_but_the_ping_goes_into_them(script: Any) -> None:
    pings = script._pings([int(ps) for ps in (3e9, 4e9, 8e9)])
    assert (pings.least, pings.mean, pings.most) == (3, 5, 8)
    assert pings.deviation == pytest.approx((14 / 3) ** 0.5)
    assert pings.later(0.5) == script.Pings(3.5, 5.5, 8.5, pings.deviation)
