"""The report of a run of links: ranking by median, where the time goes, a waterfall for each row."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import vl_convert
from report_analysis import MS, small_analysis
from report_links import STAGES, link_run, published_run
from report_page_reader import read

from airwire import AirwireError
from airwire.explain.link.published import published_sentence
from airwire.explain.link.sentences import overload, time_goes
from airwire.explain.trace import write_trace
from airwire.explain.waterfall import waterfalls
from airwire.kinds import Cause
from airwire.link.model import Waterfall
from airwire.model import rows_of_links
from airwire.report import write_figures, write_html
from airwire.report.figures import overview_figures
from airwire.report.files import write_waterfalls
from airwire.report.samples import views_of
from airwire.report.spec import Panel, vegalite_of
from airwire.report.stage_colours import KINDS
from airwire.report.waterfall_figure import waterfall_rows, waterfalls_figure
from airwire.stage import Stage


def names_in(panel: Panel) -> list[str]:
    """The links of a ranking, without the figures beside them."""
    return [name.partition("\u2003")[0] for name in panel.data["r"]["name"]]


def test_the_ranking_has_a_panel_per_payload_with_the_fastest_link_first() -> None:
    ranking = overview_figures(views_of(link_run()))[0]
    assert (ranking.name, [panel.title for panel in ranking.panels]) == ("ranking", ["12 B payload", "128 B payload"])
    for panel in ranking.panels:
        assert names_in(panel) == ["quick", "slow"]
        assert all(a < b for a, b in zip(panel.data["r"]["p50"], panel.data["r"]["p95"], strict=True))


def test_a_published_median_is_a_diamond_in_the_ranking_of_its_payload() -> None:
    ranking = overview_figures(views_of(published_run()))[0]
    with_12, with_128 = ranking.panels
    assert (with_12.data["p"]["name"], with_12.data["p"]["value"]) == (with_12.data["r"]["name"][:1], [6])
    assert "p" not in with_128.data
    assert [entry.label for entry in ranking.legend] == ["published"]
    assert vl_convert.vegalite_to_vega(vegalite_of(ranking))["marks"]
    assert not overview_figures(views_of(link_run()))[0].legend


def test_the_axis_of_the_ranking_ends_at_the_data_and_at_what_was_published() -> None:
    run = published_run()
    link = rows_of_links(run)[2].target
    assert link.published is not None
    low = dataclasses.replace(link.published, median_ps=MS // 100)
    rows = [*run.captures]
    rows[2] = dataclasses.replace(rows[2], target=dataclasses.replace(link, published=low))
    panel = overview_figures(views_of(dataclasses.replace(run, captures=rows)))[0].panels[0]
    begin, end = panel.spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    longest = max(row.statistic("p95") for row in rows) / MS
    assert 0.005 < begin < 0.01
    assert longest < end < 2 * longest


def test_the_lines_of_rows_have_what_was_published_only_where_something_was(tmp_path: Path) -> None:
    write_html(published_run(), tmp_path / "page.html")
    page = read(tmp_path / "page.html")
    row = published_run().captures[2]
    assert row.latency_ps is not None
    ratio = f"{row.latency_ps['p50'] / (6 * MS):.3g}"
    assert "Row Simulated Published Ratio Where the time goes Verdict" in page.text
    assert f" 6 ms {ratio} " in page.text
    assert "Published: table <2>." in page.text
    assert page.text.count(f": {ratio} times; another slot.") == 1
    write_html(link_run(), tmp_path / "plain.html")
    plain = read(tmp_path / "plain.html").text
    assert "Row Simulated Where the time goes Verdict" in plain and "Published" not in plain


def test_the_first_screen_has_the_result_and_a_dot_for_each_row(tmp_path: Path) -> None:
    write_html(link_run(), tmp_path / "page.html")
    page = read(tmp_path / "page.html")
    top = page.text[: page.text.index("Open all")]
    slowest = max(link_run().captures, key=lambda row: row.statistic("p50"))
    assert "Suite two links" in top and f"Slowest: {slowest.path} ," in top
    assert page.text.index("Slowest:") < page.text.index("Ranking by median") < page.text.index("Open all")
    write_html(published_run(), tmp_path / "published.html")
    assert "of 1 published figures" in read(tmp_path / "published.html").text


def test_medians_that_agree_are_called_the_same_and_a_lost_row_is_not_compared() -> None:
    row = rows_of_links(published_run())[2]
    link = row.target

    def sentence(share: float) -> str | None:
        assert link.published is not None
        published = dataclasses.replace(link.published, median_ps=round(row.statistic("p50") * share), note=None)
        return published_sentence(dataclasses.replace(row, target=dataclasses.replace(link, published=published)))

    assert (sentence(1.004) or "").endswith(": the same within 0.5 %.")
    assert (sentence(0.5) or "").endswith(": 2 times.")
    assert published_sentence(dataclasses.replace(row, latency_ps=None)) is None


def test_captures_keep_their_ranking_by_upper_quartile() -> None:
    assert overview_figures(views_of(small_analysis()))[0].title == "Ranking by upper quartile"


def test_shares_of_every_bar_add_up_to_one() -> None:
    stages = overview_figures(views_of(link_run()))[1]
    assert stages.name == "stages"
    for panel in stages.panels:
        bars = panel.data["b"]
        totals: dict[tuple[str, str], float] = {}
        for name, at, share in zip(bars["name"], bars["at"], bars["share"], strict=True):
            totals[(name, at)] = totals.get((name, at), 0) + share
        assert len(totals) == 4
        assert all(total == pytest.approx(1, abs=0.001) for total in totals.values())


def test_the_acknowledgement_after_done_is_no_part_of_the_latency() -> None:
    for row in link_run().captures:
        for waterfall in waterfalls(row):
            assert [stage.name for stage in waterfall.stages] == [name for name, _ in STAGES]
            # The stages are those of messages near the percentile, so that they add up to about that much.
            assert waterfall.total_ps == pytest.approx(waterfall.latency_ps, rel=0.03)
            assert waterfall.stages[-1].ps == MS // 10


def test_bars_of_a_waterfall_begin_where_the_one_before_ends() -> None:
    row = link_run().captures[0]
    figure = waterfalls_figure("w", "Title", "", [("row", waterfalls(row))])
    assert len(figure.panels) == 2
    for panel in figure.panels:
        begins, ends = panel.data["w"]["a"], panel.data["w"]["b"]
        assert begins[0] == 0
        assert begins[1:] == pytest.approx(ends[:-1], abs=1e-4)
    assert figure.panels[0].spec["height"] == figure.panels[1].spec["height"]


def test_the_longest_stages_stand_first_in_each_waterfall() -> None:
    quick = Waterfall(50, 3.0, 1, [Stage("a", "cpu", 1.0), Stage("c", "air", 2.0)])
    slow = Waterfall(
        95, 9.0, 1, [Stage("q", "queue", 3.0), Stage("a", "cpu", 1.0), Stage("b", "retry", 3.0), Stage("c", "air", 2.0)]
    )
    figure = waterfalls_figure("w", "Title", "", [("", [quick, slow])])
    y = figure.panels[0].spec["layer"][0]["encoding"]["y"]
    assert y["scale"]["domain"] == ["q", "b", "c", "a"]


def test_stages_under_one_percent_share_a_row() -> None:
    small = [Stage(f"small {n}", "cpu", 0.5) for n in range(3)]
    found = Waterfall(50, 200.0, 1, [*small, Stage("air", "air", 198.5)])
    rows = waterfall_rows(found, [found])
    assert [(row.name, row.before_ps, row.ps) for row in rows] == [("air", 0, 198.5), ("3 others", 198.5, 1.5)]
    # One that is large at p95 keeps its row at the median.
    slow = Waterfall(95, 210.0, 1, [*small[1:], Stage("small 0", "cpu", 10.5), Stage("air", "air", 198.5)])
    assert [row.name for row in waterfall_rows(found, [found, slow])] == ["air", "small 0", "2 others"]


def test_every_figure_compiles_and_every_kind_of_stage_has_a_colour() -> None:
    views = views_of(link_run())
    figures = [*overview_figures(views), waterfalls_figure("w", "T", "", [(v.label, v.waterfalls) for v in views])]
    for figure in figures:
        assert vl_convert.vegalite_to_vega(vegalite_of(figure))["marks"], figure.name
    shared: set[Cause] = {"cpu", "bus", "gate", "protocol", "empirical"}
    of_links: set[Cause] = shared | {"air", "retry", "queue"}
    of_boards: set[Cause] = shared | {"wire", "pc", "chip", "sleep", "console"}
    of_bulk: set[Cause] = of_boards - {"gate", "protocol"} | {"delay", "window"}
    assert set(KINDS) == of_links | of_boards | of_bulk
    for together in (of_links, of_boards, of_bulk):
        assert len({colour for kind, (colour, _) in KINDS.items() if kind in together}) == len(together)


def test_the_page_shows_settings_sentence_and_waterfalls_of_each_row(tmp_path: Path) -> None:
    write_html(link_run(), tmp_path / "page.html")
    page = read(tmp_path / "page.html")
    assert "4 rows of 2 links" in page.text
    assert "Suite two links" in page.text
    assert "A link & its slot · slot 20 ms · triggers every 200 ms" in page.text
    assert "\u00a0% goes to wait for <the> slot" in page.text and " of the median of " in page.text
    assert "Where the median goes: " in page.text and "Where p95 goes: " in page.text
    assert {"c1", "c4"} <= set(page.figures)
    assert len(page.ids) == len(set(page.ids))


def test_a_run_without_spans_has_no_waterfalls_but_all_the_rest(tmp_path: Path) -> None:
    analysis = link_run(traced=False)
    assert waterfalls(analysis.captures[0]) == []
    names = [path.stem for path in write_figures(analysis, tmp_path, ("svg",))]
    assert "ranking" in names
    assert "stages" not in names
    write_html(analysis, tmp_path / "page.html")


def test_captures_have_no_stages_and_nothing_to_trace(tmp_path: Path) -> None:
    captures = small_analysis().captures
    assert [waterfalls(capture) for capture in captures] == [[]] * len(captures)
    with pytest.raises(AirwireError, match="there is nothing to trace"):
        write_trace(captures, tmp_path / "trace.json")
    assert not (tmp_path / "trace.json").exists()


@pytest.mark.parametrize(("ending", "head"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html>")])
def test_waterfalls_become_a_file_of_the_format_of_its_ending(tmp_path: Path, ending: str, head: bytes) -> None:
    rows = [(row.path, waterfalls(row)) for row in link_run().captures]
    write_waterfalls(rows, tmp_path / f"w{ending}")
    assert head in (tmp_path / f"w{ending}").read_bytes()[:200]


def test_the_largest_stages_are_named_and_small_ones_are_not() -> None:
    stages = [Stage("firmware", "cpu", 1e9), Stage("the slot", "gate", 61e9), Stage("the air", "air", 20e9)]
    slot, air = time_goes(Waterfall(50, 82e9, 9, stages))
    assert (slot.line, air.line) == ("74 % goes to the slot", "24 % goes to the air")
    assert (slot.share, slot.kind, slot.change, slot.gain) == (61 / 82, "gate", None, None)
    assert slot.details == ["That is 61 ms of the median of 82 ms."]
    stages = [Stage("firmware", "cpu", 1e9), Stage("the slot", "gate", 99e9)]
    (only,) = time_goes(Waterfall(95, 100e9, 9, stages))
    assert only.text == "99 % goes to the slot. That is 99 ms of p95 of 100 ms."


def test_a_queue_is_overload_only_where_it_is_most_of_the_latency() -> None:
    queued = [Stage("queued", "queue", 60e9), Stage("the air", "air", 40e9)]
    short = [Stage("queued", "queue", 40e9), Stage("the air", "air", 60e9)]
    found = overload(Waterfall(95, 100e9, 9, queued), 12)
    assert found is not None
    assert found.line == "60 % of p95 waits behind earlier messages, overloaded: send less often"
    assert found.details[0].startswith("Up to 12 messages deep.")
    assert overload(Waterfall(95, 100e9, 9, short), 12) is None
    assert overload(Waterfall(95, 100e9, 9, queued), 1) is None
