"""Why an image is slow: the one call that finds its board, what it does, and where the time of that goes."""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.board.row import BoardRow
from airwire.diagnosis.ask import Question, question_for, question_of
from airwire.diagnosis.discover import Discovery, discover
from airwire.diagnosis.identify import Identity, identify
from airwire.diagnosis.reason import why_no_board, why_not_on_network
from airwire.model import Analysis, Capture, rows_of_boards
from airwire.runs.suite import of_no_suite
from airwire.runs.suite import run as run_suite
from airwire.scratch import ScratchFolder
from airwire.values import Settings, setting_texts

_STOP_WITHIN = "2 %"
_LIMIT = "30 s"
_INTERVALS = 20


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Answer:
    """What was found of an image.

    ``reason`` says why there is no figure; else ``row`` has it, with verdicts as any row of a suite.
    """

    image: str
    board: str | None
    board_was_given: bool
    found: Discovery | None
    question: Question | None
    analysis: Analysis | None
    row: Capture[BoardRow] | None
    reason: str | None


def why(
    image: str | Path,
    *,
    board: str | Path | None = None,
    symbols: str | Path | None = None,
    traffic: Sequence[str] = (),
    network: str | Path | None = None,
    settings: Settings | None = None,
    seed: int = 1,
    out: str | Path | None = None,
    progress: Callable[[str], Any] = lambda _doing: None,
) -> Answer:
    """Find the board that an image is for, what it does on its network, and where the time of that goes.

    ``board`` names one, or is a board file; without it the board is found from what the image says on its SPI.
    ``traffic`` are clients of the PC to measure with, such as ``"http to=board path=/index.html"``; without it the
    image's own servers are asked, or its clients answered. ``network`` and ``settings`` are those of
    :class:`airwire.Board`. ``out`` keeps the run folder. ``progress(doing)`` is told what is being done.

    Raises ``AirwireError`` for an image, a board or a network that cannot be used.
    """
    given = settings or {}
    asked = what_to_ask(
        image,
        board=board,
        symbols=symbols,
        traffic=traffic,
        network=network,
        settings=given,
        seed=seed,
        progress=progress,
    )
    name = None if asked.found is None else asked.found.board
    if asked.place is None or asked.question is None:
        return Answer(str(image), name, board is not None, asked.found, None, None, None, asked.reason)
    progress("Measuring it")
    folder = ScratchFolder("airwire-why-")
    try:
        question = asked.question
        analysis = _measured(image, asked.place, question, symbols, network, given, seed, folder.path, out)
        row = _only_row(analysis)
    except BaseException:
        folder.remove()
        raise
    answer = Answer(str(image), name, board is not None, asked.found, question, analysis, row, row.target.problem)
    # The row reads its samples from the run folder, which nobody wanted to keep: it goes with the answer.
    weakref.finalize(answer, folder.remove)
    return answer


@dataclass(frozen=True, slots=True)
class Asked:
    """What to measure of an image, and on which board; ``reason`` says why there is nothing to measure."""

    place: str | Path | None
    found: Discovery | None
    question: Question | None
    reason: str | None


def what_to_ask(
    image: str | Path,
    *,
    board: str | Path | None,
    symbols: str | Path | None,
    traffic: Sequence[str],
    network: str | Path | None,
    settings: Settings,
    seed: int,
    progress: Callable[[str], Any],
) -> Asked:
    """Find the board of an image and what it does there, without measuring it; parameters are those of :func:`why`."""
    progress("Finding its board")
    boards, reason = _boards_for(image, board, symbols, settings)
    tried: list[tuple[Discovery, str | Path]] = []
    for place in boards:
        progress(f"Booting it on {place}")
        found = discover(image, place, symbols=symbols, settings=settings, network=network, seed=seed)
        tried.append((found, place))
        if found.is_on_network:
            break
    if not tried:
        return Asked(None, None, None, reason)
    # Where it comes no further on another board, it is for the likeliest one, which was tried first.
    found, place = max(tried, key=lambda one: one[0].progress)
    question = question_of(traffic, _name_and_kind) if traffic else question_for(found)
    if not found.is_on_network or question is None:
        return Asked(None, found, None, why_not_on_network(found))
    return Asked(place, found, question, None)


def _boards_for(
    image: str | Path, board: str | Path | None, symbols: str | Path | None, settings: Settings
) -> tuple[Sequence[str | Path], str | None]:
    if board is not None:
        return [board], None
    identity: Identity = identify(image, symbols, settings)
    return identity.boards, None if identity.boards else why_no_board(identity)


def _name_and_kind(traffic: str) -> tuple[str, str]:
    """The name of a client, and its kind, which is its name where none is given."""
    name, *options = traffic.split()
    kinds = [option.partition("=")[2] for option in options if option.startswith("kind=")]
    return name, kinds[0] if kinds else name


def _measured(
    image: str | Path,
    board: str | Path,
    question: Question,
    symbols: str | Path | None,
    network: str | Path | None,
    settings: Settings,
    seed: int,
    folder: Path,
    out: str | Path | None,
) -> Analysis:
    """The row of a suite that asks the question."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(image).stem).strip("-") or "image"
    suite = folder / f"{name}.toml"
    fields: dict[str, Any] = {
        "title": Path(image).name,
        "board": _place(board),
        "firmware": str(Path(image).resolve()),
        "traffic": list(question.traffic),
        "measure": question.measure,
        "of": question.of,
        "skip": question.skip,
        # Whoever asks once, as examples of clients do, has no message but the first.
        "skip_if_more": True,
        "stop_within": _STOP_WITHIN,
        "limit": _LIMIT,
    }
    if question.measure == "bulk":
        # Intervals of a full bus are nearly alike, and take as long to simulate as they last.
        fields["samples"] = _INTERVALS
    if symbols is not None:
        fields["symbols"] = str(Path(symbols).resolve())
    if network is not None:
        fields["network"] = str(Path(network).resolve())
    lines = [f"{field} = {json.dumps(value, ensure_ascii=False)}" for field, value in fields.items()]
    changed = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in setting_texts(settings).items()]
    text = [f"seed = {seed}", f"[boards.{name}]", *lines, f"[boards.{name}.settings]", *changed]
    _write(suite, "\n".join(text) + "\n")
    with of_no_suite(suite, name):
        return run_suite(suite, out=out or folder / "run", findings=False)


def _write(suite: Path, text: str) -> None:
    try:
        suite.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "the system refuses"
        raise _core.AirwireError(f"{suite}: cannot write it: {reason}; make room for temporary files") from None


def _only_row(analysis: Analysis) -> Capture[BoardRow]:
    """The row, where the run came to one."""
    if analysis.interrupted:
        raise KeyboardInterrupt
    if analysis.errors:
        raise _core.AirwireError(analysis.errors[0].message)
    return rows_of_boards(analysis)[0]


def _place(board: str | Path) -> str:
    """A board's name, or the place of its file, which a suite elsewhere finds too."""
    path = Path(board)
    return str(path.resolve()) if path.suffix == ".toml" or path.is_file() else str(board)
