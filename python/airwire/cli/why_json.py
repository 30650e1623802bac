"""The JSON of ``airwire why``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from airwire.board.network import Call, Service
from airwire.cli.json_object import Output
from airwire.cli.run_json import BoardObject, board_object
from airwire.diagnosis.answer import Answer
from airwire.diagnosis.discover import Tried


class AnswerObject(msgspec.Struct):
    """What was found of an image."""

    image: str
    board: str | None
    board_was_given: bool
    address: str | None
    ready_ps: int | None
    called: Sequence[str]
    calls: Sequence[Call]
    services: Sequence[Service]
    tried: Tried | None
    answers_ping: bool
    traffic: Sequence[str]
    row: BoardObject | None
    reason: str | None


class WhyOutput(Output, tag="airwire.why/1"):
    """Why an image is slow, and the same of another one beside it."""

    command: ClassVar[str] = "why"
    answer: AnswerObject
    compared: AnswerObject | None


def why_output(answer: Answer, other: Answer | None) -> WhyOutput:
    """The object of ``airwire why``."""
    return WhyOutput(answer=_answer(answer), compared=None if other is None else _answer(other))


def _answer(answer: Answer) -> AnswerObject:
    found = answer.found
    return AnswerObject(
        image=answer.image,
        board=answer.board,
        board_was_given=answer.board_was_given,
        address=None if found is None else found.address,
        ready_ps=None if found is None else found.ready_ps,
        called=[] if found is None else [one.name for one in found.called],
        calls=[] if found is None else found.calls,
        services=[] if found is None else found.services,
        tried=None if found is None else found.tried,
        answers_ping=found is not None and found.answers_ping,
        traffic=[] if answer.question is None else answer.question.traffic,
        row=None if answer.row is None else board_object(answer.row),
        reason=answer.reason,
    )
