"""The figures: every specification compiles, the files come out, and the data says what the analysis says."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest
import vl_convert
from report_analysis import (
    MS,
    Latency,
    combed,
    constant,
    every_finding,
    finding,
    gated,
    jittered,
    make_capture,
    small_analysis,
)
from report_page_reader import read

from airwire import AirwireError
from airwire.model import Analysis, Capture, Finding
from airwire.report import theme, write_figures, write_html
from airwire.report.capture_figures import capture_figure
from airwire.report.density import MAX_SCATTER_POINTS
from airwire.report.figures import further_figures, overview_figures
from airwire.report.samples import CaptureView, views_of
from airwire.report.spec import Figure, vegalite_of

if TYPE_CHECKING:
    from airwire.kinds import FindingKind


def view_of(*findings: Finding, **options: Any) -> CaptureView:
    latency = options.pop("latency", gated)
    return views_of(Analysis([make_capture("a/b.csv", latency, findings=findings, **options)], [], "strict", 1))[0]


def figures_of(analysis: Analysis) -> list[Figure]:
    views = views_of(analysis)
    singles = [capture_figure(view) for view in views]
    return [*overview_figures(views), *(figure for figure in singles if figure.panels)]


def test_every_specification_compiles_to_vega() -> None:
    for figure in figures_of(small_analysis()):
        compiled = vl_convert.vegalite_to_vega(vegalite_of(figure))
        assert compiled["marks"], figure.name


def test_no_specification_for_a_file_keeps_a_css_variable() -> None:
    for figure in figures_of(small_analysis()):
        assert "var(--" not in json.dumps(vegalite_of(figure))


def test_both_palettes_define_the_same_colours() -> None:
    assert theme.LIGHT.keys() == theme.DARK.keys()


def test_figure_files_are_written_in_each_format(tmp_path: Path) -> None:
    written = write_figures(small_analysis(), tmp_path / "new" / "figures")
    assert [path.name for path in written if path.suffix == ".svg"] == [
        "ranking.svg", "boxes.svg", "densities.svg", "ecdf.svg", "outcomes.svg",
    ]  # fmt: skip
    assert len(written) == 10
    for path in written:
        head = path.read_bytes()[:300]
        assert head.startswith(b"\x89PNG") if path.suffix == ".png" else b"<svg" in head


def test_figures_of_single_captures_are_written_on_request(tmp_path: Path) -> None:
    capture = make_capture("dir/with space & more.csv", gated, findings=[finding("gate", 0.9)])
    written = write_figures(Analysis([capture], [], "strict", 1), tmp_path, ("svg",), captures=True)
    assert written[-1].name == "capture-1-dir-with-space-more-csv.svg"
    assert "latency over trigger phase" in written[-1].read_text(encoding="utf-8")


def test_an_unknown_format_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AirwireError, match="figure format 'gif' is not known; use svg or png"):
        write_figures(small_analysis(), tmp_path, ("gif",))


def test_an_analysis_without_captures_has_no_figures(tmp_path: Path) -> None:
    assert write_figures(Analysis([], [], "strict", 1), tmp_path) == []


def test_a_gate_is_drawn_over_the_phase_of_its_period() -> None:
    view = view_of(finding("gate", 0.9))
    scatter = next(panel for panel in capture_figure(view).panels if "trigger phase" in panel.title)
    phases, latencies = scatter.data["p"]["x"], scatter.data["p"]["y"]
    for phase, latency in zip(phases, latencies, strict=True):
        assert (phase + latency - 1) % 15 == pytest.approx(0, abs=0.01) or phase + latency == pytest.approx(
            16, abs=0.01
        )
    done = next(panel for panel in capture_figure(view).panels if "done edges" in panel.title)
    assert max(done.data["g"]["n"]) == len(view.latency_ps)


def test_a_frozen_phase_names_the_share_of_the_period_that_was_met() -> None:
    view = view_of(finding("frozen_phase", 0.9), count=1)
    panel = next(panel for panel in capture_figure(view).panels if "Frozen phase" in panel.title)
    assert panel.caption == "Band: the 0 % of the period that the triggers met."


def test_findings_of_one_period_share_one_phase_plot() -> None:
    kinds: tuple[FindingKind, ...] = ("phase_coverage", "frozen_phase", "gate")
    titles = [panel.title for panel in capture_figure(view_of(*(finding(kind, 0.9) for kind in kinds))).panels]
    assert titles[2:] == ["Gate: latency over trigger phase", "Gate: phase of done edges"]


def test_times_of_the_evidence_count_from_the_first_paired_trigger() -> None:
    crossing = finding("gate", 0.9, crossing_at_ps=300 * MS)
    view = view_of(crossing, finding("bursts", 0.8, starts_ps=[0], duration_ps=100 * MS), missed_every=50)
    data = capture_figure(view).panels[0].data
    first_paired = data["s"]["t"][0]
    assert first_paired > 0
    assert data["bursts"] == {"a": [first_paired], "b": [pytest.approx(first_paired + 0.1)]}
    assert data["gate"]["t"] == [pytest.approx(first_paired + 0.3)]


def test_each_burst_has_its_own_length_and_the_longest_where_it_is_not_told() -> None:
    starts, lengths = [0, 400 * MS, 900 * MS], [100 * MS, 300 * MS]
    told = finding("bursts", 0.8, starts_ps=starts, durations_ps=lengths, duration_ps=500 * MS)
    bands = capture_figure(view_of(told)).panels[0].data["bursts"]
    assert [b - a for a, b in zip(bands["a"], bands["b"], strict=True)] == pytest.approx([0.1, 0.3, 0.5])


def creeping(trigger_ps: int, random: Random) -> int:
    return 5 * MS + trigger_ps // 10_000 + random.randrange(-1000, 1001)


def frozen_ramp(**evidence: object) -> Finding:
    spread = {"drift_per_trigger_ps": 1_500_000, "trigger_interval_ps": 15 * MS, "covered_ps": 180_000_000}
    return Finding("frozen_phase", 0.9, "Said.", "", None, {**spread, **evidence})


def test_a_frozen_phase_without_a_period_is_drawn_as_a_ramp_through_its_samples() -> None:
    view = view_of(frozen_ramp(candidate_periods_ps=[MS, 10 * MS, 100 * MS]), latency=creeping)
    panel = capture_figure(view).panels[2]
    assert panel.title == "Frozen phase: the ramp"
    ramp = panel.data["ramp"]
    assert ramp["y"][0] == pytest.approx(view.latency_ps[0] / MS, abs=1e-4)
    assert ramp["y"][1] == pytest.approx(view.latency_ps[-1] / MS, abs=1e-4)
    assert (panel.data["covered"]["a"], panel.data["covered"]["b"]) == ([ramp["y"][0]], [ramp["y"][1]])
    assert "180 us covered" in json.dumps(panel.spec)
    assert "creep of +1.5 us per trigger" in panel.caption
    assert "18 % of a 1 ms gate or 0.18 % of a 100 ms gate" in panel.caption


def test_samples_far_from_the_ramp_do_not_flatten_it() -> None:
    def with_outliers(trigger_ps: int, random: Random) -> int:
        return creeping(trigger_ps, random) * (20 if random.random() < 0.05 else 1)

    view = view_of(frozen_ramp(), latency=with_outliers)
    panel = capture_figure(view).panels[2]
    outliers = sum(latency > 50 * MS for latency in view.latency_ps)
    assert outliers > 0
    assert max(panel.data["s"]["y"]) < 6
    assert f"Outside the axis: {outliers} of 120 samples." in panel.caption


def test_a_frozen_phase_that_creeps_against_a_known_gate_is_a_ramp_and_no_phase_plot() -> None:
    known = Finding("frozen_phase", 0.9, "Said.", "", 10 * MS, frozen_ramp().evidence)
    titles = [panel.title for panel in capture_figure(view_of(known, latency=creeping)).panels]
    assert titles == ["Latency over time", "Histogram", "Frozen phase: the ramp"]


def test_a_run_across_a_tick_is_drawn_as_two_ramps_with_the_fall_between() -> None:
    def falling(trigger_ps: int, random: Random) -> int:
        return 12 * MS + trigger_ps // 10_000 - (10 * MS if trigger_ps > 900 * MS else 0)

    first = view_of(latency=falling).trigger_ps[0]
    evidence = {"crossing_at_ps": 900 * MS - first, "drift_per_trigger_ps": 1_500_000}
    gate = Finding("gate", 0.7, "Said.", "", 10 * MS, evidence)
    figure = capture_figure(view_of(gate, frozen_ramp(), latency=falling))
    assert [panel.title for panel in figure.panels] == ["Latency over time", "Histogram"]
    creep = figure.panels[0].data["creep"]
    assert creep["side"] == ["before", "before", "after", "after"]
    assert creep["t"][1] < figure.panels[0].data["gate"]["t"][0] < creep["t"][2]
    assert creep["y"][1] - creep["y"][2] == pytest.approx(10, abs=0.02)


def test_captures_that_agree_share_a_box_and_others_keep_their_own() -> None:
    def always(latency_ms: int) -> Latency:
        return lambda trigger, random: latency_ms * MS

    def group_of(name: str, *latencies_ms: int) -> list[Capture]:
        return [
            make_capture(f"{name}/{place}.csv", always(latency_ms), group=name, count=3)
            for place, latency_ms in enumerate(latencies_ms)
        ]

    captures = [*group_of("near", 2, 3, 4), *group_of("far", 4, 7, 9), *group_of("many", 10, 20, 30, 40)]
    boxes = overview_figures(views_of(Analysis(captures, [], "strict", 1)))[1].panels[0].data["b"]
    drawn = list(zip(boxes["group"], boxes["captures"], boxes["p50"], strict=True))
    assert drawn[:4] == [("near", "3 pooled", 3), ("far", "0.csv", 4), ("far", "1.csv", 7), ("far", "2.csv", 9)]
    # Three boxes can share a row, four would smear.
    assert len({row for row, group in zip(boxes["row"], boxes["group"], strict=True) if group == "far"}) == 1
    assert len({row for row, group in zip(boxes["row"], boxes["group"], strict=True) if group == "many"}) == 4


def test_the_lines_of_one_group_can_be_told_apart() -> None:
    captures = [make_capture(f"a/{n}.csv", jittered, group="a", count=5) for n in range(9)]
    ecdf = next(one for one in overview_figures(views_of(Analysis(captures, [], "strict", 1))) if one.name == "ecdf")
    (panel,) = ecdf.panels
    assert len({(entry.colour, tuple(entry.dash or ())) for entry in panel.legend}) == 9
    domain = panel.spec["encoding"]["color"]["scale"]["domain"]
    assert [f"a/{entry.label}" for entry in panel.legend] == domain


def test_a_drift_is_drawn_through_the_medians_of_its_blocks() -> None:
    view = view_of(finding("drift", 0.9, block_medians_ps=[2 * MS, 3 * MS, 4 * MS], slope_ps_per_s=1))
    panel = capture_figure(view).panels[0]
    assert panel.data["drift"]["y"] == [2, 3, 4]
    assert "medians of 3 equal parts" in panel.caption


def test_latencies_with_whole_trigger_periods_in_them_are_ringed() -> None:
    lost = finding("loss_as_latency", 0.9, late_offset_ps=100 * MS, typical_ps=2 * MS)
    view = view_of(lost, latency=lambda trigger, random: random.choice((2, 30, 102, 202)) * MS)
    ringed = capture_figure(view).panels[0].data["loss_as_latency"]["y"]
    assert set(ringed) == {102, 202}


def test_the_teeth_of_a_comb_stand_at_its_quantum() -> None:
    view = view_of(finding("comb", 0.9, quantum_ps=MS, offset_ps=MS // 2), latency=combed)
    histogram = capture_figure(view).panels[1]
    assert histogram.data["teeth"]["a"] == [500, 1500, 2500]


def test_each_finding_over_time_is_annotated() -> None:
    panel = capture_figure(view_of(*every_finding())).panels[0]
    for words in (
        "Bands: bursts.",
        "Dashed: levels at 1 ms, 2 ms, 4 ms.",
        "drift of +100 us per second",
        "Ringed:",
    ):
        assert words in panel.caption


@pytest.mark.parametrize("evidence", [{}, {"period_ps": "x", "levels_ps": None, "starts_ps": [None, "y"]}])
def test_evidence_that_is_missing_or_odd_is_not_drawn(evidence: dict[str, object]) -> None:
    kinds = ("gate", "frozen_phase", "comb", "steps", "drift", "bursts", "loss_as_latency", "new_kind")
    findings = [Finding(cast("FindingKind", kind), 0.5, "Said.", "", None, evidence) for kind in kinds]
    figure = capture_figure(view_of(*findings))
    assert [panel.title for panel in figure.panels] == ["Latency over time", "Histogram"]
    assert figure.panels[0].caption == ""


def test_a_long_capture_is_thinned_and_keeps_its_extremes() -> None:
    view = view_of(latency=jittered, count=100_000)
    data = capture_figure(view).panels[0].data["s"]
    assert len(data["y"]) <= MAX_SCATTER_POINTS
    assert min(data["y"]) == pytest.approx(view.ordered_ps[0] / MS, rel=1e-5)
    assert max(data["y"]) == pytest.approx(view.ordered_ps[-1] / MS, rel=1e-5)
    assert data["t"] == sorted(data["t"])


@pytest.mark.parametrize("count", [1, 2, 120])
def test_identical_latencies_are_drawn_with_room_around_them(count: int) -> None:
    view = view_of(latency=constant, count=count)
    figures = [*overview_figures([view]), capture_figure(view)]
    for figure in figures:
        assert vl_convert.vegalite_to_svg(vegalite_of(figure)).startswith("<svg")


def test_a_latency_of_zero_survives_the_logarithmic_axes() -> None:
    view = view_of(latency=lambda trigger, random: random.choice((0, MS)))
    for figure in [*overview_figures([view]), capture_figure(view)]:
        assert "NaN" not in vl_convert.vegalite_to_svg(vegalite_of(figure))


def test_captures_of_the_same_name_keep_apart() -> None:
    captures = [make_capture(f"{parent}/x/a.csv", constant, count=3) for parent in ("one", "two")]
    labels = [view.label for view in views_of(Analysis([*captures, captures[0]], [], "strict", 1))]
    assert labels == ["one/x/a.csv", "two/x/a.csv", "one/x/a.csv (2)"]


def test_the_page_and_the_files_draw_the_same_specification(tmp_path: Path) -> None:
    write_html(small_analysis(), tmp_path / "page.html")
    in_page = read(tmp_path / "page.html").figures
    views = views_of(small_analysis())
    singles = [figure for figure in map(capture_figure, views) if figure.panels]
    for figure in [*further_figures(views), *singles]:
        assert [panel["spec"] for panel in in_page[figure.name]] == json.loads(
            json.dumps([panel.spec for panel in figure.panels])
        )


def test_the_histogram_of_identical_latencies_stays_on_its_axis() -> None:
    panel = capture_figure(view_of(latency=constant)).panels[1]
    low, high = panel.spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert (panel.data["h"]["a"], panel.data["h"]["b"]) == ([low], [high])
