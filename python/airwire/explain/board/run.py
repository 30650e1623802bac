"""Rows of boards in sentences: what one change brings, what others published, and why there is no figure."""

from __future__ import annotations

from collections.abc import Mapping

from airwire.board.row import BoardRow, Figure, SameBut
from airwire.explain.board.bulk import bulk_causes, bulk_sentence, ceiling_sentence
from airwire.explain.board.cause import NamedCause
from airwire.explain.board.causes import cause_sentence, causes
from airwire.explain.board.figures import quantity
from airwire.explain.board.floor import floor_sentence
from airwire.explain.board.published import parts_sentence, published_sentence, times_sentence
from airwire.explain.quantities import percent
from airwire.explain.waterfall import FAR_ABOVE, board_waterfalls, tail_waterfall
from airwire.link.model import RowExplanation, Waterfall
from airwire.model import Capture

# Figures nearer than this cannot be told apart in a sentence of three digits.
_SAME = 5e-3


def board_sentence(row: Capture[BoardRow]) -> str:
    """The verdict of a row: why there is no figure, or where its time goes and what the one change brings."""
    board = row.target
    if board.problem is not None:
        return f"No figure: {board.problem}."
    found = board_waterfalls(row, percentiles=(50,))
    cause = _said(found[0], board) if found else None
    said = (
        cause,
        _tail_sentence(row),
        ceiling_sentence(board),
        floor_sentence(row),
        change_sentence(board),
        parts_sentence(board),
        published_sentence(board),
        times_sentence(board),
    )
    return " ".join(filter(None, said))


def board_causes(row: Capture[BoardRow]) -> list[NamedCause]:
    """What the time of the messages near the median goes to, the largest cause first; none without a figure."""
    board = row.target
    found = board_waterfalls(row, percentiles=(50,)) if board.problem is None else []
    if not found:
        return []
    if board.bulk is not None:
        return bulk_causes(found[0].stages, board.evidence, board.bulk)
    return causes(found[0].stages, board.evidence, _of_peer(board))


def board_explanation(row: Capture[BoardRow]) -> RowExplanation:
    """Where the time of a row goes, as of a link. What a change brings is another row of the suite (``same_but``)."""
    board = row.target
    return RowExplanation(
        run=row.path,
        link=None,
        title=f"{board.title}, {board.firmware} on {board.board}{_with_peer(board)}",
        payload_bytes=0,
        settings=board.settings,
        sentence=board_sentence(row),
        waterfalls=board_waterfalls(row),
        changes=[],
        board=board.board,
    )


def _with_peer(board: BoardRow) -> str:
    return "" if board.peer is None else f", with {board.peer.firmware} on {board.peer.board}"


def _said(waterfall: Waterfall, board: BoardRow) -> str:
    if board.bulk is not None:
        return bulk_sentence(waterfall, board.evidence, board.bulk)
    return cause_sentence(waterfall, board.evidence, _of_peer(board))


def _of_peer(board: BoardRow) -> Mapping[str, float | None] | None:
    return None if board.peer is None else board.peer.evidence


def _tail_sentence(row: Capture[BoardRow]) -> str | None:
    """What the slowest messages spend their time on, where they take a good part of all time."""
    tail = tail_waterfall(row)
    if tail is None or row.latency_ps is None:
        return None
    latencies: list[int] = row.samples["latency_ps"].drop_nulls().to_list()
    far = [latency for latency in latencies if latency > FAR_ABOVE * row.latency_ps["p50"]]
    shares = (
        f"{percent(len(far) / len(latencies))} of the messages take {percent(sum(far) / sum(latencies))} of the time"
    )
    return f"But {shares}: {_said(tail, row.target)}"


def change_sentence(board: BoardRow) -> str | None:
    """What the one difference to another row brings, with both figures."""
    same, own = board.same_but, board.figure
    if same is None or own is None or same.figure is None:
        return None
    return f"{_difference(same)}: {_compared(own, same.figure, same.run)}."


def _difference(same: SameBut) -> str:
    return f"With {same.what} {_value(same.here)} instead of {_value(same.there)}"


def _value(text: str | None) -> str:
    """A value in a sentence: of a network or of traffic its lines as one."""
    if text is None:
        return "the image's own"
    return "; ".join(text.split("\n")).strip("; ") or "the default"


def _compared(own: Figure, other: Figure, name: str) -> str:
    here, there = quantity(own.value, own.unit), quantity(other.value, other.unit)
    if own.statistic == "mean":
        here = f"mean {here}"
    if other.value <= 0 or abs(own.value / other.value - 1) < _SAME:
        return f"{here}, as {name} has ({there})"
    times = own.value / other.value
    words = ("longer", "shorter") if own.unit == "ps" else ("faster", "slower")
    word = words[0] if times > 1 else words[1]
    factor = max(times, 1 / times)
    return f"{here} against {there} of {name}, {factor:.3g} times {word}"
