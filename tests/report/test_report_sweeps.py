"""Pages of sweeps and of histories: what they draw, on wide screens and on phones, light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import CHROMIUM, Tab, browser

from airwire.history.pictures import trends_page
from airwire.history.records import FigureRecord, RunRecord
from airwire.history.trends import Step, Trend, change_of
from airwire.report.spec import vegalite_of
from airwire.report.sweep import Axis, Combination, SweepData, figures_of, page

PICTURES = Path(__file__).resolve().parents[2] / "build" / "screens"
FAULTS = Path(__file__).with_name("page_faults.js").read_text(encoding="utf-8")
WIDTHS = (1400, 400)


def grid() -> SweepData:
    """A latency that doubles with each step of one axis, grows with another, and falls with a third."""
    axes = [Axis("sf", [7, 8, 9, 10]), Axis("payload", [12, 64, 128]), Axis("bandwidth", ["125kHz", "500kHz"])]
    found = []
    for sf in axes[0].values:
        for payload in axes[1].values:
            for bandwidth in axes[2].values:
                values = {"sf": sf, "payload": payload, "bandwidth": bandwidth}
                ps = 2.0 ** int(sf) * (20 + int(payload)) * (1 if bandwidth == "500kHz" else 4) * 1e6
                found.append(Combination(values, ps, ps * 0.95, ps * 1.05))
    found.sort(key=lambda one: one.figure)
    return SweepData("lora", "ps", axes, found, True)


def drawn_rates() -> SweepData:
    """Rates of a Latin hypercube."""
    axes = [Axis("poll", [1, 5, 9, 20, 64]), Axis("spi", ["2MHz", "33MHz"])]
    found = [
        Combination({"poll": poll, "spi": "2MHz" if place % 2 else "33MHz"}, 900.0 - 100 * place, None, None)
        for place, poll in enumerate(axes[0].values)
    ]
    return SweepData("a board with quite a long name, over lwIP", "messages/s", axes, found, False)


def history() -> list[Trend]:
    """Two rows over many runs, one of which went bad and was mended."""
    trends = []
    for row, unit in (("lora sf=9/12B", "ps"), ("pingpong", "messages/s")):
        steps: list[Step] = []
        for number in range(24):
            value = (1.3 if 9 <= number < 15 else 1.0) * (147e9 if unit == "ps" else 1180.0)
            figure = FigureRecord(row, "figure", value, value * 0.99, value * 1.01, unit, 100, "link")
            run = RunRecord(str(number), "s", 1, None, None, None, None, None, f"build-{number} it's", "x")
            steps.append(Step(run, figure, change_of(steps[-1].figure, figure) if steps else None))
        trends.append(Trend(row, "figure", unit, steps))
    return trends


PAGES = {
    "sweep": lambda: page(
        "Sweep of radio", ["suite radio", "24 points"], "The best is lora", [grid(), drawn_rates()], []
    ),
    "trends": lambda: trends_page("Trends of history.sqlite", history()),
}


def test_each_axis_has_a_curve_with_intervals_and_the_axes_that_matter_most_a_heat_map() -> None:
    response, heat, parallel = figures_of(grid())
    assert [panel.title for panel in response.panels] == ["sf, by payload", "payload, by sf", "bandwidth, by sf"]
    first = response.panels[0].data["r"]
    assert first["x"] == [7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10, 10]
    assert all(low < y < high for low, y, high in zip(first["low"], first["y"], first["high"], strict=True))
    # At the best bandwidth, where it is 2^sf (20 + payload) us.
    assert sorted(first["y"])[0] == pytest.approx(2**7 * 32 / 1e3)
    cells = heat.panels[0].data["r"]
    assert set(zip(cells["x"], cells["y"], strict=True)) == {
        (str(sf), str(p)) for sf in (7, 8, 9, 10) for p in (12, 64, 128)
    }
    strength = dict(zip(zip(cells["x"], cells["y"], strict=True), cells["strength"], strict=True))
    assert (strength["7", "12"], strength["10", "128"]) == (1, 0)
    share = (math.log(2**10 * 148) - math.log(2**8 * 84)) / (math.log(2**10 * 148) - math.log(2**7 * 32))
    assert strength["8", "64"] == pytest.approx(share, abs=1e-3)
    lines = parallel.panels[0].data["l"]
    assert len(set(lines["line"])) == 24 and lines["is"].count("best tenth") == 2 * 4


def test_where_not_every_combination_was_run_points_are_drawn_and_no_heat_map() -> None:
    figures = figures_of(drawn_rates())
    assert [figure.name.partition("-a-")[0] for figure in figures] == ["response", "combinations"]
    marks = [layer["mark"]["type"] for layer in figures[0].panels[0].spec["layer"]]
    assert marks == ["rule", "point"]


@pytest.mark.parametrize("data", [grid(), drawn_rates()], ids=["grid", "drawn"])
def test_every_picture_is_drawn_by_vega(data: SweepData) -> None:
    import vl_convert

    for figure in figures_of(data):
        assert vl_convert.vegalite_to_svg(vegalite_of(figure)).startswith("<svg")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: nothing can open the page")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_or_overlaps(tab: Tab, tmp_path: Path, name: str, width: int, dark: bool) -> None:
    (tmp_path / "page.html").write_text(PAGES[name](), encoding="utf-8")
    tab.complaints.clear()
    tab.open(tmp_path / "page.html", width=width, dark=dark)
    for place in range(tab.ask("document.querySelectorAll('.chart').length")):
        tab.ask(f"document.querySelectorAll('.chart')[{place}].scrollIntoView()")
        tab.wait(f"document.querySelectorAll('.chart')[{place}].querySelector('svg') !== null")
    assert tab.ask("document.querySelectorAll('.chart svg').length") > 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    tab.photograph(PICTURES / f"{name}-{width}-{'dark' if dark else 'light'}.png", full=True)
    assert tab.ask(FAULTS) == []
    assert tab.complaints == []
