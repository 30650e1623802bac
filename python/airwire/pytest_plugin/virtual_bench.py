"""What the fixture ``bench`` gives a test: links, suites, firmware on boards, and boards to drive oneself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import airwire
from airwire.board.virtual import DEFAULT_BOARD
from airwire.kinds import Measure
from airwire.pytest_plugin.measured import Row, SuiteRun
from airwire.runs.suite import of_no_suite
from airwire.values import Settings, SettingValue

TYPICAL_BYTES = 128


class Bench:
    """The virtual bench of one test. Files are looked for beside the test's own, then where pytest runs."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        self._folder = folder
        self._workspace = workspace
        self._measured: list[airwire.Analysis] = []

    def link(
        self,
        name: str,
        /,
        *,
        payload_bytes: int = TYPICAL_BYTES,
        samples: int = 2000,
        seed: int = 1,
        **settings: SettingValue,
    ) -> Row:
        """Predict messages over a link: ``bench.link("lora", payload_bytes=12, sf=9).p95 <= "200 ms"``."""
        rows = airwire.simulate([(name, payload_bytes, settings)], samples=samples, seed=seed)
        self._measured.append(airwire.Analysis(rows, [], "known", seed, suite=name))
        return Row(rows[0])

    def run(
        self,
        suite: str | Path,
        *,
        only: Sequence[str] = (),
        samples: int | None = None,
        seed: int | None = None,
        firmware: str | Path | None = None,
    ) -> SuiteRun:
        """Run a suite; ``check()`` of what it gives fails where a bound of the suite is broken."""
        analysis = airwire.run(
            self._found(suite),
            only=only,
            samples=samples,
            seed=seed,
            firmware=None if firmware is None else self._found(firmware),
            out=self._workspace / f"run-{len(self._measured) + 1}",
        )
        if analysis.interrupted:
            raise KeyboardInterrupt
        if analysis.errors:
            raise airwire.AirwireError(analysis.errors[0].message)
        self._measured.append(analysis)
        return SuiteRun(analysis)

    def firmware(
        self,
        image: str | Path,
        *,
        measure: Measure = "messages",
        settings: Settings | None = None,
        traffic: Sequence[str] = (),
        **fields: str | int | bool | Mapping[str, Any] | Sequence[Any],
    ) -> Row:
        """Measure an image on a board: a suite of one row. ``fields`` are its other fields, such as ``board``."""
        path = self._found(image).resolve()
        entry = {"firmware": path.name, "measure": measure, "settings": settings or {}, "traffic": traffic, **fields}
        self._workspace.mkdir(parents=True, exist_ok=True)
        suite = self._workspace / f"{path.stem}-{len(self._measured) + 1}.toml"
        lines = [f"{name} = {_toml(value)}" for name, value in entry.items()]
        suite.write_text("\n".join([f"[boards.{json.dumps(path.stem)}]", *lines, ""]), encoding="utf-8")
        with of_no_suite(suite, path.stem):
            return next(iter(self.run(suite, firmware=path.parent).values()))

    def board(
        self, image: str | Path | None = None, board: str | Path = DEFAULT_BOARD, **options: Any
    ) -> airwire.Board:
        """A board with an image, to run, type into and look at oneself; ``options`` are those of ``airwire.Board``."""
        return airwire.Board(board, None if image is None else self._found(image), **options)

    def write_reports(self, folder: Path, name: str) -> list[Path]:
        """A page for each run, into a folder; none where nothing was measured."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for place, analysis in enumerate(self._measured, start=1):
            page = folder / (f"{name}.html" if place == 1 else f"{name}-{place}.html")
            airwire.write_html(analysis, page)
            written.append(page)
        return written

    def _found(self, path: str | Path) -> Path:
        """A path beside the test's file where it is there, else as it is given."""
        beside = self._folder / path
        return beside if beside.exists() else Path(path)


def _toml(value: Any) -> str:
    """A value as TOML has it; its strings are written as JSON's are."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return json.dumps(value)
