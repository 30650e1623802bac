"""The plotting libraries that a page carries: kept by the build, and never other than what a new bundle would be."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from airwire.report import libraries


def test_what_the_build_kept_is_what_a_new_bundle_is() -> None:
    kept = resources.files("airwire.report") / "assets" / libraries.kept_name()

    assert kept.is_file(), "run `make .venv/installed`"
    assert kept.read_text(encoding="ascii") == libraries.bundle() == libraries.libraries()


def test_keeping_takes_the_place_of_another_versions(tmp_path: Path) -> None:
    (tmp_path / "vega-0.1.0.packed").write_text("old", encoding="ascii")

    kept = libraries.keep(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [libraries.kept_name()]
    assert kept.read_text(encoding="ascii") == libraries.libraries()
