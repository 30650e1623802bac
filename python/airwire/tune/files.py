"""What a search leaves as files: the change in the form that its project takes, and every candidate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from airwire._core import AirwireError
from airwire.outputs import new_folder, write_files
from airwire.tune.answer import Tuning
from airwire.tune.build import Tree, firmware_source
from airwire.tune.candidates import Measured
from airwire.tune.changes import (
    board_suite,
    complete_lwipopts,
    link_suite,
    patched,
    sdkconfig,
    settings_name,
)

LWIPOPTS, SUITE, SDKCONFIG, CANDIDATES = "lwipopts.h", "tuned.toml", "sdkconfig.defaults", "candidates.json"
NAMES = (LWIPOPTS, SUITE, SDKCONFIG, CANDIDATES)


def write_change(found: Tuning, folder: Path) -> list[Path]:
    """Write the change into a new folder, and name its files."""
    if folder.exists():
        raise AirwireError(f"{folder}: this is there already; name a new folder")
    contents = {folder / name: text for name, text in contents_of(found).items()}
    try:
        with new_folder(folder):
            write_files(dict(contents))
    except OSError as error:
        reason = error.strerror or "the system refuses"
        raise AirwireError(f"{folder}: cannot write it: {reason}; name another place, or make room") from None
    return list(contents)


def contents_of(found: Tuning) -> Mapping[str, str]:
    """The files by their names."""
    contents = {CANDIDATES: _candidates(found)}
    values = found.best.values
    kinds = {knob.name: knob.kind for knob in found.subject.knobs}
    link, board = found.subject.link, found.subject.board
    if link is not None:
        settings = {**link.settings, **{name: value for name, value in values.items() if found.changed.get(name)}}
        contents[SUITE] = link_suite(link.link.name, link.payload_bytes, settings)
        fragment = sdkconfig(link.link.name, settings)
        if fragment is not None:
            contents[SDKCONFIG] = fragment
    if board is not None:
        options = {name: value for name, value in values.items() if kinds[name] == "lwip"}
        own = {name: value for name, value in values.items() if kinds[name] == "image" and name in found.changed}
        row = {**board.fixed, "settings": {**board.fixed.get("settings", {}), **own}}
        contents[SUITE] = board_suite(found.subject.name, row)
        if options:
            contents[LWIPOPTS] = _lwipopts(found, options)
    return contents


def _lwipopts(found: Tuning, options: Mapping[str, str]) -> str:
    board = found.subject.board
    assert board is not None and board.target is not None, "what has such options is an image that can be built"
    if found.own_file is not None:
        return patched(found.own_file.text, found.changed)
    source = firmware_source()
    tree = Tree(source, board.board, found.tree)
    return complete_lwipopts(source, settings_name(tree.flags(board.target)), options, found.changed)


def _candidates(found: Tuning) -> str:
    def one(measured: Measured) -> Mapping[str, object]:
        return {
            "values": dict(measured.values),
            "figures": dict(measured.figures),
            "intervals": {name: list(pair) for name, pair in measured.intervals.items()},
            "counters": dict(measured.counters),
            "refused": measured.refused,
        }

    content = {
        "goals": [str(goal) for goal in found.goals],
        "subject_to": [limit.text for limit in found.limits],
        "seed": found.seed,
        "candidates": [one(measured) for measured in found.candidates],
    }
    return json.dumps(content, indent=1) + "\n"
