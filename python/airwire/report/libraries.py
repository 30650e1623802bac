"""The plotting libraries that a page carries with it, so that it loads nothing.

Bundling and packing them takes over a second of processor time, and the result depends on the version of vl-convert
alone. A build therefore keeps it beside the package's other assets (`python -m airwire.report.libraries`); where the
kept one is missing or was made by another version, it is made anew.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata, resources
from pathlib import Path

from airwire.report.html import packed

_EXPORTS = "window.vegaEmbed = vegaEmbed;"
_ASSETS = resources.files("airwire.report") / "assets"


@cache
def libraries() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, packed."""
    kept = _ASSETS / kept_name()
    return kept.read_text(encoding="ascii") if kept.is_file() else bundle()


def bundle() -> str:
    """The same, made anew."""
    import vl_convert

    return packed(vl_convert.javascript_bundle(_EXPORTS))


def kept_name() -> str:
    """The name of the kept file: another version of vl-convert has another."""
    return f"vega-{metadata.version('vl-convert-python')}.packed"


def keep(folder: Path) -> Path:
    """Write the packed libraries into a folder, in place of those of other versions."""
    for old in folder.glob("vega-*.packed"):
        old.unlink()
    path = folder / kept_name()
    path.write_text(bundle(), encoding="ascii")
    return path


if __name__ == "__main__":
    with resources.as_file(_ASSETS) as assets:
        keep(assets)
