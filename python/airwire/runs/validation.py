"""The models against real captures: the ledger of their errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.link.model import Ledger, LedgerRow, LeftOut
from airwire.values import check_numbers


def validate(
    folder: str | Path,
    *,
    only: Sequence[str] = (),
    seed: int = 1,
    workers: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Ledger:
    """Run every model against the captures below ``folder`` and say how far it is from each.

    ``only`` names parts of paths; captures without one of them are left out. ``progress(steps_done, steps)`` is
    called while it works, with two steps for each capture; Ctrl-C ends it early and keeps what is done.

    Raises ``AirwireError`` where there is no such folder.
    """
    if not Path(folder).is_dir():
        raise _core.AirwireError(f"{folder}: there is no such folder of captures; say where they are")
    check_numbers(seed=seed, workers=workers)
    raw = json.loads(_core.validate(str(folder), only=list(only), seed=seed, workers=workers, progress=progress))
    errors = [(error["path"], error["message"]) for error in raw["errors"]]
    return Ledger([_row(row) for row in raw["rows"]], errors, raw["without_rule"], raw["interrupted"])


def _row(raw: dict[str, Any]) -> LedgerRow:
    left_out = LeftOut(**raw.pop("leave_one_out"))
    return LedgerRow(understood=raw.pop("class"), leave_one_out=left_out, **raw)
