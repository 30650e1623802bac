"""A history as a file: JSON, which another history takes up, or a Parquet table with a line for each figure."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import msgspec

from airwire.history.records import Export
from airwire.history.store import History
from airwire.outputs import write_file


def export_history(history: History, path: Path) -> int:
    """Write all runs; the ending decides the format. Gives how many there are."""
    runs = list(history.whole())
    if path.suffix == ".json":
        write_file(path, msgspec.json.encode(Export(runs)))
        return len(runs)
    import polars as pl

    lines = []
    for run in runs:
        own = {f"run_{name}" if name == "id" else name: getattr(run, name) for name in run.__struct_fields__[:-1]}
        for figure in run.figures:
            told = msgspec.structs.asdict(figure)
            lines.append({**own, **told, "settings": json.dumps(told["settings"], sort_keys=True)})
    content = BytesIO()
    pl.DataFrame(lines, infer_schema_length=None).write_parquet(content)
    write_file(path, content.getvalue())
    return len(runs)
