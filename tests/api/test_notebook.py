"""Results in a notebook: short texts, tables, frames and charts; and the example notebook, cell by cell."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import airwire
from airwire.shown import Chart, Shown

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}svg"


@pytest.fixture(scope="module")
def links() -> airwire.Analysis:
    rows = airwire.simulate([("lora", 12, {}), ("uart", 12, {})], samples=200)
    return airwire.Analysis(rows, [], "strict", 1, suite="two <links>")


def drawn(chart: Chart) -> ElementTree.Element:
    bundle = chart._repr_mimebundle_()
    assert bundle["text/html"] == chart._repr_html_() == bundle["image/svg+xml"]
    assert bundle["application/vnd.vegalite.v6+json"]["$schema"].endswith("v6.json")
    return ElementTree.fromstring(bundle["image/svg+xml"])


def cells_of(html: str) -> list[list[str]]:
    """The cells of the first table, which has to be well formed."""
    table = ElementTree.fromstring(html[html.index("<table>") : html.index("</table>") + 8])
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_results_have_short_texts(links: airwire.Analysis) -> None:
    assert repr(links) == "Analysis(2 rows, suite 'two <links>')"
    assert repr(links.captures[1]) == "Capture('uart/12B', 12 B, 200 of 200 paired, median 1.0492 ms)"
    assert "two &lt;links&gt;" in links._repr_html_()


def test_an_analysis_is_a_table_a_frame_and_a_chart(links: airwire.Analysis) -> None:
    head, lora, uart = cells_of(links._repr_html_())
    assert head == ["row", "median", "p95", "max", "lost", "verdict"]
    assert (lora[0], uart[0]) == ("lora/12B", "uart/12B")
    assert lora[-1].endswith("goes to packet on the air")
    frame = links.to_frame()
    assert frame["p50_ps"].to_list() == [row.statistic("p50") for row in links.captures]
    assert frame.schema["figure"] == pl.Float64
    texts = "".join(drawn(links.chart()).itertext())
    assert "Ranking by median" in texts and "uart" in texts


def test_a_row_is_its_statistics_its_samples_and_its_waterfall(links: airwire.Analysis) -> None:
    row = links.captures[0]
    head, figures = cells_of(row._repr_html_())
    assert head[1] == "p50" and figures[1] == "42.4 ms"
    assert row.to_frame().height == 200
    assert "packet on the air" in "".join(drawn(row.chart()).itertext())


def test_a_choice_is_a_table_a_frame_and_a_chart() -> None:
    choice = airwire.choose(128, p95="20ms", only=["uart", "espnow", "lora"])
    html = choice._repr_html_()
    frame = choice.to_frame()
    assert [row[0] for row in cells_of(html)[1:]] == frame["link"].to_list()
    assert "1 refused" in html and "lora" not in frame["link"].to_list()
    assert frame["p95_ps"].max() <= 20e9  # type: ignore[operator]
    assert "uart" in "".join(drawn(choice.chart()).itertext())
    with pytest.raises(airwire.AirwireError, match="nothing to draw"):
        airwire.choose(128, p95="1 us", only=["uart"]).chart()


def test_a_run_of_a_board_is_a_table_a_frame_and_a_chart(images: Path) -> None:
    run = airwire.Board("pico", images / "blink_timer.elf").run("20 ms")
    head, first, *_ = cells_of(run._repr_html_())
    assert head == ["function", "cycles"]
    assert run.to_frame()["function"][0] == first[0] == run.functions[0].name
    assert first[0] in "".join(drawn(run.chart()).itertext())


def test_a_chart_is_written_as_a_picture_or_its_specification(links: airwire.Analysis, tmp_path: Path) -> None:
    chart = links.chart()
    chart.save(tmp_path / "chart.svg")
    chart.save(tmp_path / "chart.json")
    assert ElementTree.parse(tmp_path / "chart.svg").getroot().tag == SVG
    assert json.loads((tmp_path / "chart.json").read_text()) == chart.spec
    with pytest.raises(airwire.AirwireError, match=r"chart\.pdf: a chart is written as \.svg or \.json"):
        chart.save(tmp_path / "chart.pdf")


def test_one_link_is_simulated_as_in_a_list() -> None:
    one = airwire.simulate("lora", payload="12B", sf=9, samples=50)
    (same,) = airwire.simulate([("lora", 12, {"sf": 9})], samples=50)
    assert one.latency_ps == same.latency_ps
    for mistake in (
        lambda: airwire.simulate("lora"),  # type: ignore[arg-type]
        lambda: airwire.simulate([("lora", 12, {})], sf=9),  # type: ignore[call-overload]
    ):
        with pytest.raises(airwire.AirwireError, match="give"):
            mistake()


def test_the_package_offers_its_own_names_only() -> None:
    assert not {"Any", "TYPE_CHECKING", "annotations", "import_module", "lazy_loader"} & set(dir(airwire))
    assert "Chart" in dir(airwire) and "simulate" in dir(airwire)


def code_cells(notebook: Path) -> Iterator[str]:
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None, "results are not kept in the repository"
            yield "".join(cell["source"])


def shown_by(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, as a notebook shows it."""
    tree = ast.parse(source)
    *_, last = tree.body
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_example_notebooks_run_from_top_to_bottom(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = [shown_by(source, names) for source in code_cells(notebook)]
    assert sum(isinstance(one, Shown) for one in shown) >= 3
    assert sum(isinstance(one, Chart) for one in shown) >= 3
    for one in shown:
        if isinstance(one, Shown):
            assert cells_of(one._repr_html_())[1:]
        if isinstance(one, Chart):
            assert drawn(one).tag == SVG
