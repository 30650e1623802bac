"""What is tuned: a link, a row of a suite, or an image on a board, with its knobs and the figures that it has."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.board import Board, image_settings
from airwire.inputs import read_text
from airwire.link.catalogue import link_budget, links
from airwire.link.model import Link
from airwire.runs.entries import whole_boards
from airwire.runs.packaged import find_suite, image_finder, suite_names
from airwire.tune.knobs import Knob, image_knobs, link_knobs
from airwire.values import setting_texts

_IMAGE_SUFFIXES = {".elf", ".uf2", ".bin", ".hex"}
_DEFAULT_BOARD = "w5500-evb-pico"
_WIZNET = "BOARD_WIZNET"
"""What the header of a board has whose network chip is at the end of SPI."""
_LEFT_OUT = ("title", "published", "bounds", "same_but")
_FIGURES_OF_BOARDS: Mapping[str, tuple[str, ...]] = {
    "bulk": ("throughput",),
    "messages": ("rate", "p50", "p95", "mean", "loss"),
    "requests": ("rate", "p50", "p95", "mean", "loss"),
    "latency": ("p50", "p95", "mean", "loss"),
}
_FIGURES_OF_LINKS = ("p50", "p95", "mean", "loss", "throughput")


@dataclass(frozen=True)
class Subject:
    """What a search works on."""

    name: str
    knobs: Sequence[Knob]
    figures: Sequence[str]
    """The names of the metrics that it has."""
    link: LinkSubject | None = None
    board: BoardSubject | None = None


@dataclass(frozen=True)
class LinkSubject:
    """A link with a payload."""

    link: Link
    payload_bytes: int
    settings: Mapping[str, str]
    """Those that stay."""
    trigger: Mapping[str, str] | None
    samples: int


@dataclass(frozen=True)
class BoardSubject:
    """A row of a suite that runs an image; of an image alone it is a row made for it."""

    suite: Path
    """Where images and networks are looked for."""
    row: Mapping[str, Any]
    image: Path
    board: str
    target: str | None = None
    """What builds the image with other options of lwIP, where there is something."""
    options: Mapping[str, int] = field(default_factory=dict)
    """lwIP's options as they are in the image."""
    own_options: Mapping[str, str] = field(default_factory=dict)
    """Those of a user's own file."""

    @property
    def fixed(self) -> dict[str, Any]:
        """The row without what belongs to a comparison."""
        return {name: value for name, value in self.row.items() if name not in _LEFT_OUT}


def subject_of(
    target: str | Path,
    *,
    only: str | None = None,
    board: str | None = None,
    traffic: Sequence[str] = (),
    impair: str | None = None,
    payload_bytes: int | None = None,
    firmware: Path | None = None,
    samples: int | None = None,
    settings: Mapping[str, str] | None = None,
) -> Subject:
    """What a user means by ``target``: an image, a link's name, or a suite with one of its entries.

    Raises ``AirwireError`` where it is none of them, or not enough is said.
    """
    path = Path(target)
    if path.suffix in _IMAGE_SUFFIXES:
        _refuse_given(target, "an image", only=only, payload=payload_bytes, firmware=firmware, samples=samples)
        return _of_image(path, board, traffic, impair, settings or {})
    named = str(target)
    known = {link.name: link for link in links()}
    of_images: dict[str, object] = {"board": board, "traffic": traffic or None, "impair": impair}
    if named in known and not path.exists():
        _refuse_given(target, "a link", **of_images, only=only, firmware=firmware)
        return _of_link(known[named], payload_bytes, settings or {}, {}, None, samples)
    if path.suffix == "" and named == path.name and not path.exists() and named not in suite_names():
        hint = _core.name_hint(named, [*known, *suite_names()])
        raise _core.AirwireError(f"{named}: there is no such file, and no link or suite of this name; {hint}")
    suite = find_suite(target)
    _refuse_given(target, "a suite, which says that itself", **of_images)
    try:
        content = tomllib.loads(read_text(suite))
    except UnicodeDecodeError:
        raise _core.AirwireError(
            f"{suite}: this is no text, and no image by its name; name a suite, a link or an image"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise _core.AirwireError(
            f"{suite}: this is no suite, as it is no TOML ({error}); name a suite, a link or an image"
        ) from None
    return _of_suite(suite, content, only, known, payload_bytes, firmware, samples, settings or {})


def _refuse_given(target: str | Path, what: str, **given: object) -> None:
    """Refuse what is said of a target that has no use for it."""
    for name, value in given.items():
        if value is not None:
            raise _core.AirwireError(f"{target} is {what}, and has no use for {name}; leave it out")


def _of_suite(
    suite: Path,
    content: Mapping[str, Any],
    only: str | None,
    known: Mapping[str, Link],
    payload_bytes: int | None,
    firmware: Path | None,
    samples: int | None,
    settings: Mapping[str, str],
) -> Subject:
    _core.suite_entries(suite)
    boards, rows = content.get("boards", {}), content.get("links", {})
    entries = [*rows, *boards]
    if only is None and len(entries) != 1:
        raise _core.AirwireError(f"{suite} has {len(entries)} entries, and one is tuned at a time; name it with --only")
    name = entries[0] if only is None else only
    if name in boards:
        _refuse_given(name, "a row that runs an image", payload=payload_bytes, samples=samples)
        return _of_row(suite, name, boards, firmware, settings)
    if name not in rows:
        raise _core.AirwireError(f"{suite} has no entry {name}; {_core.name_hint(name, entries)}")
    _refuse_given(name, "a row of a link", firmware=firmware)
    row: dict[str, Any] = dict(rows[name])
    link = str(row.pop("link", name))
    if link not in known:
        raise _core.AirwireError(f"{suite}: there is no link {link}; {_core.name_hint(link, list(known))}")
    payloads: list[Any] = row.pop("payloads", content.get("payloads", [128]))
    wanted = payload_bytes or _core.parse_bytes(str(payloads[0]))
    trigger: dict[str, Any] | None = row.pop("trigger", None)
    own = {setting.name for setting in known[link].settings}
    given: dict[str, Any] = {key: value for key, value in row.items() if key in own}
    listed = {
        key: list(setting_texts({str(place): one for place, one in enumerate(value)}).values())
        for key, value in given.items()
        if isinstance(value, list)
    }
    single: dict[str, Any] = {key: value for key, value in given.items() if not isinstance(value, list)}
    fixed = {**setting_texts(single), **settings}
    return _of_link(known[link], wanted, fixed, listed, None if trigger is None else setting_texts(trigger), samples)


def _of_link(
    link: Link,
    payload_bytes: int | None,
    fixed: Mapping[str, str],
    listed: Mapping[str, Sequence[str]],
    trigger: Mapping[str, str] | None,
    samples: int | None,
) -> Subject:
    payload = payload_bytes or min(128, link.max_payload_bytes)
    budget = link_budget(link.name, payload, fixed)
    knobs = [knob for knob in link_knobs(link, fixed, listed) if knob.name not in fixed]
    figures = [*_FIGURES_OF_LINKS]
    if any(stage.cause == "air" for stage in budget.stages):
        figures.append("airtime")
    if budget.energy is not None:
        figures.append("energy")
    subject = LinkSubject(link, payload, fixed, trigger, samples or 1000)
    return Subject(f"{link.name}, {payload} B", knobs, figures, link=subject)


def _of_row(
    suite: Path, name: str, boards: Mapping[str, Any], firmware: Path | None, given: Mapping[str, str]
) -> Subject:
    row = whole_boards(boards)[name]
    settings = {**row.get("settings", {}), **given}
    if settings:
        row["settings"] = settings
    if any(isinstance(value, list) for value in settings.values()):
        raise _core.AirwireError(f"{suite}: the row {name} is several, one for each listed setting; write one value")
    find_image = image_finder(suite.parent, firmware)
    image = find_image(str(row["firmware"])).resolve()
    row["firmware"] = str(image)
    if "symbols" in row:
        row["symbols"] = str(find_image(str(row["symbols"])).resolve())
    board = str(row.get("board", _DEFAULT_BOARD))
    subject = BoardSubject(suite, row, image, board)
    return _of_board(name, subject, str(row.get("measure", "messages")))


def _of_image(
    image: Path, board: str | None, traffic: Sequence[str], impair: str | None, settings: Mapping[str, str]
) -> Subject:
    if not image.is_file():
        raise _core.AirwireError(f"{image}: there is no such image; build it, or name another one")
    if not traffic:
        raise _core.AirwireError(
            f"{image}: nothing says what it is to be good at; give its traffic, such as "
            "--traffic 'bulk to=board:9 time=10s interval=50ms block=1460B'"
        )
    named = board or (
        image.resolve().parent.name if image.resolve().parent.name in _core.board_names() else _DEFAULT_BOARD
    )
    row: dict[str, Any] = {"board": named, "firmware": str(image.resolve()), "traffic": list(traffic), "limit": "30 s"}
    kind = traffic[0].split()[0]
    row["measure"] = {"bulk": "bulk", "ping": "latency", "http": "requests"}.get(kind, "messages")
    row |= {"skip": 2, "stop_within": "1 %"}
    if settings:
        row["settings"] = dict(settings)
    if impair:
        row["network"] = {"cable": {"impair": impair}}
    subject = BoardSubject(Path("tune.toml"), row, image.resolve(), named)
    return _of_board(image.stem, subject, row["measure"])


def _of_board(name: str, subject: BoardSubject, measure: str) -> Subject:
    fixed = setting_texts(subject.row.get("settings", {}))
    declared = image_settings(subject.image, subject.row.get("symbols"))
    knobs = [
        replace(knob, start=fixed[knob.name]).with_values(knob.values) if knob.name in fixed else knob
        for knob in image_knobs(declared, has_spi=_WIZNET in _core.board_header(subject.board))
    ]
    figures = [*_FIGURES_OF_BOARDS.get(measure, ())]
    if subject.image.suffix == ".elf":
        figures += ["ram", "flash"]
    if Board(subject.board).report.energy.parts:
        figures.append("energy")
    return Subject(name, knobs, figures, board=subject)
