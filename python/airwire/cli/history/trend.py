"""``airwire history trend``: a figure of a row over all runs, with what each changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from airwire.cli import options
from airwire.cli.history.options import DATABASE, Database, Metric, Row
from airwire.cli.output import working, writing

if TYPE_CHECKING:
    from airwire.history.trends import Trend


def trend(
    row: Row,
    database: Database = DATABASE,
    metric: Metric = "figure",
    report: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Show a figure of a row over all runs, with its intervals.

    Each run is compared with the one before it. Example: airwire history trend lora/12B --report trend.html
    """
    from airwire.history.store import History
    from airwire.history.trends import trend as trend_of

    with History(database) as history:
        found = trend_of(history, row, metric)
    if json:
        from airwire.cli.history.output import trend_output
        from airwire.cli.json_object import print_object

        print_object(trend_output(found))
    else:
        _print(found)
    if report is not None:
        write_page(found, report)
        if not json:
            print(f"Report: {report}")


def write_page(found: Trend, report: Path) -> None:
    """Write the trend as a page."""
    from airwire.history.pictures import trends_page
    from airwire.outputs import new_folder, write_file

    with working("Drawing the report"), writing(report), new_folder(report.parent):
        write_file(report, trends_page(f"Trend of {found.row}", [found]))


def _print(found: Trend) -> None:
    from rich.table import Table
    from rich.text import Text

    from airwire.cli.fitting import print_table
    from airwire.cli.tables import console
    from airwire.cli.verdict_lines import BETTER, SLOW
    from airwire.history.bisection import name_of
    from airwire.history.words import change_words, figure_words, interval_words

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("run", "begun"):
        table.add_column(name, no_wrap=True)
    for name in (found.metric, "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("change", overflow="fold")
    styles = {"slower": SLOW, "no_figure": SLOW, "faster": BETTER}
    for step in found.steps:
        style = styles.get(step.change.shift, "") if step.change else ""
        cells = (
            name_of(step.run),
            (step.run.started or "")[:19],
            figure_words(step.figure),
            interval_words(step.figure),
        )
        table.add_row(*(Text(cell) for cell in cells), Text(change_words(step.change), style=style))
    print_table(console(), table)
