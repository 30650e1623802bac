"""The JSON of ``airwire why``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from airwire.board.network import Call, Service
from airwire.cli.json_object import Output
from airwire.cli.run_json import BoardFigureObject, VerdictObject, board_figure_of, verdict_object
from airwire.diagnosis.answer import Answer
from airwire.explain.board.floor import floor_of
from airwire.explain.verdicts import verdicts_of
from airwire.kinds import Measure


class AnswerObject(msgspec.Struct):
    """What was found of an image."""

    image: str
    board: str | None
    address: str | None
    ready_ps: int | None
    called: Sequence[str]
    calls: Sequence[Call]
    services: Sequence[Service]
    answers_ping: bool
    measure: Measure | None
    traffic: Sequence[str]
    figure: BoardFigureObject | None
    message_ps: float | None
    floor_ps: float | None
    verdicts: Sequence[VerdictObject]
    reason: str | None


class WhyOutput(Output, tag="airwire.why/1"):
    """Why an image is slow, and of another one likewise."""

    command: ClassVar[str] = "why"
    answer: AnswerObject
    compared: AnswerObject | None
