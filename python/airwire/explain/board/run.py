"""Rows of boards in sentences: what one change brings, what others published, and why there is no figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from airwire.board.row import BoardRow, Figure, SameBut
from airwire.explain.board.answers import error_answers_sentence, lost_sentence
from airwire.explain.board.bulk import bulk_causes, ceiling_sentence
from airwire.explain.board.cause import NamedCause, as_one, shares_sentence, unexplained_sentences, verdicts_from
from airwire.explain.board.causes import causes, megahertz
from airwire.explain.board.figures import quantity
from airwire.explain.board.floor import floor_sentence
from airwire.explain.board.gain import Message, gain_of, short_poll_gain
from airwire.explain.board.published import parts_sentence, published_sentence, times_sentence
from airwire.explain.quantities import percent, rough_time
from airwire.explain.row import RowExplanation
from airwire.explain.verdict import NO_FIGURE, Verdict
from airwire.explain.waterfall import FAR_ABOVE, board_waterfalls, tail_waterfall
from airwire.link.model import Waterfall
from airwire.model import Capture

# Figures nearer than this cannot be told apart in a sentence of three digits.
_SAME = 5e-3
# What differs at the peer begins so.
_PEERS = "peer."
# Fields of a row that may differ; anything else is a setting.
_FIELDS = ("firmware", "board", "network", "traffic", "peer", "lines", "trigger")
# Settings whose names end so hold times, in these picoseconds; docs/reference/settings.md has the endings.
_TIMES = {"_ns": 1e3, "_us": 1e6, "_ms": 1e9, "_s": 1e12}


def board_verdict(row: Capture[BoardRow]) -> Verdict:
    """What takes most of a row's time, with all that there is to say in its details; or why there is no figure."""
    board = row.target
    if board.problem is not None:
        return Verdict(0.0, f"No figure: {board.problem}", NO_FIGURE)
    found = board_waterfalls(row, percentiles=(50,))
    compared = (
        lost_sentence(row),
        error_answers_sentence(row),
        ceiling_sentence(board),
        floor_sentence(row),
        change_sentence(board),
        parts_sentence(board),
        published_sentence(board),
        times_sentence(board),
    )
    if not found or found[0].total_ps <= 0:
        return Verdict(0.0, "No message was traced", NO_FIGURE, details=[*filter(None, compared)])
    usual = board_verdicts(row)
    more = [*_around(found[0], board), *filter(None, compared)]
    slow = _slow_messages(row)
    if slow is None:
        return as_one(usual, more)
    if slow.sets_the_figure(board.figure) and slow.verdict.share > (1 - slow.time_share) * usual[0].share:
        median = [f"Of the median message {usual[0].line}.", *usual[0].details]
        return replace(slow.verdict, details=[slow.sentence, *slow.verdict.details, *median, *more])
    return as_one(usual, [f"But {slow.sentence}", f"{slow.verdict.line}.", *slow.verdict.details, *more])


def board_verdicts(row: Capture[BoardRow]) -> list[Verdict]:
    """A verdict for each of the largest causes, of messages near the median; none without a figure."""
    board = row.target
    found = board_waterfalls(row) if board.problem is None else []
    if not found or found[0].total_ps <= 0:
        return []
    message = _message(row, found)
    amount = None if board.bulk is not None else rough_time
    verdicts = verdicts_from(message.causes, found[0], amount, lambda cause: gain_of(cause, message, board))
    short = {cause.words: short_poll_gain(cause, message, board) for cause in message.causes}
    return [
        replace(one, details=[*one.details, f"A poll each millisecond is estimated to bring {gain.text}."])
        if (gain := short.get(one.cause))
        else one
        for one in verdicts
    ]


@dataclass(frozen=True, slots=True)
class _SlowMessages:
    """Messages that take far longer than the median, and a good part of all time."""

    message_share: float
    time_share: float
    verdict: Verdict
    """Its share is of all time."""

    @property
    def sentence(self) -> str:
        """How many they are."""
        return f"{percent(self.message_share)} of the messages take {percent(self.time_share)} of the time."

    def sets_the_figure(self, figure: Figure | None) -> bool:
        """Whether the figure of the row is one that they matter for; a median is not."""
        return figure is not None and (figure.unit != "ps" or figure.statistic == "mean")


def _slow_messages(row: Capture[BoardRow]) -> _SlowMessages | None:
    """Those of a row, where they take a good part of all time."""
    tail = tail_waterfall(row)
    if tail is None or row.latency_ps is None:
        return None
    latencies: list[int] = row.samples["latency_ps"].drop_nulls().to_list()
    far = [latency for latency in latencies if latency > FAR_ABOVE * row.latency_ps["p50"]]
    time_share = sum(far) / sum(latencies)
    first = verdicts_from(_causes(tail, row.target), tail, rough_time, lambda _: None)[0]
    return _SlowMessages(len(far) / len(latencies), time_share, replace(first, share=first.share * time_share))


def _message(row: Capture[BoardRow], found: Sequence[Waterfall]) -> Message:
    """The messages near the median, and near p95."""
    median, *others = found
    slow = next((one for one in others if one.total_ps > 0), None)
    return Message(
        total_ps=median.total_ps,
        mean_ps=row.statistic("mean"),
        causes=_causes(median, row.target),
        slow_total_ps=None if slow is None else slow.total_ps,
        slow_causes=[] if slow is None else _causes(slow, row.target),
    )


def _around(waterfall: Waterfall, board: BoardRow) -> list[str]:
    """How two boards share the time, and what no stage explains."""
    total = waterfall.total_ps
    shared = [shares_sentence(waterfall.stages)] if board.peer is not None else []
    if board.bulk is None:
        return [*shared, *unexplained_sentences(waterfall, rough_time)]
    return [*shared, *unexplained_sentences(waterfall, lambda ps: f"{percent(ps / total)} of the time")]


def _causes(waterfall: Waterfall, board: BoardRow) -> list[NamedCause]:
    """Every cause that stages of a row show, the largest first."""
    if board.bulk is not None:
        return bulk_causes(waterfall.stages, board.evidence, board.bulk)
    return causes(waterfall.stages, board.evidence, None if board.peer is None else board.peer.evidence)


def board_causes(row: Capture[BoardRow]) -> list[NamedCause]:
    """What the time of the messages near the median goes to, the largest cause first; none without a figure."""
    board = row.target
    found = board_waterfalls(row, percentiles=(50,)) if board.problem is None else []
    return _causes(found[0], board) if found else []


def board_explanation(row: Capture[BoardRow]) -> RowExplanation:
    """Where the time of a row goes, as of a link. What a change brings is another row of the suite (``same_but``)."""
    board = row.target
    return RowExplanation(
        run=row.path,
        link=None,
        title=f"{board.title}, {board.firmware} on {board.board}{_with_peer(board)}",
        payload_bytes=0,
        settings=board.settings,
        verdict=board_verdict(row),
        verdicts=board_verdicts(row),
        waterfalls=board_waterfalls(row),
        changes=[],
        board=board.board,
    )


def _with_peer(board: BoardRow) -> str:
    return "" if board.peer is None else f", with {board.peer.firmware} on {board.peer.board}"


def change_sentence(board: BoardRow) -> str | None:
    """What the one difference to another row brings, with both figures."""
    same, own = board.same_but, board.figure
    if same is None or own is None or same.figure is None:
        return None
    return f"{_difference(same, board)}: {_compared(own, same.figure, same.run)}."


def _difference(same: SameBut, board: BoardRow) -> str:
    """What differs, both values as settings are in force: a suite may write ``false`` or ``33 MHz`` for them."""
    name = same.what.removeprefix(_PEERS)
    here = same.here
    if same.what not in _FIELDS and here is not None:
        peer = {} if board.peer is None else board.peer.settings
        here = (board.settings if name == same.what else peer).get(name, here)
    return f"With {same.what} {_value(name, here)} instead of {_value(name, same.there)}"


def _value(name: str, text: str | None) -> str:
    """A value in a sentence: a quantity with its unit; of a network or of traffic its lines as one."""
    if text is None:
        return "the image's own"
    if text.isdigit() and int(text) > 0:
        scale = next((scale for ending, scale in _TIMES.items() if name.endswith(ending)), None)
        if scale is not None:
            return rough_time(int(text) * scale)
        return megahertz(int(text)) if name.endswith("_hz") else text
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
