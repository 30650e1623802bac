"""The JSON of ``twin``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from airwire.cli.address_json import AddressObject, address_object
from airwire.cli.json_object import Number, Output
from airwire.cli.output import whole
from airwire.cli.run_json import BoardObject, board_object
from airwire.kinds import Adds, Cause
from airwire.twins import Twin
from airwire.twins.sentences import details, verdict_line


class PartObject(msgspec.Struct):
    """A part of what the median message takes on the real board."""

    kind: Cause | Adds
    ps: Number


class SuspectObject(msgspec.Struct):
    """Settings with which the twin takes as long as the board does."""

    change: Mapping[str, str]
    was: Mapping[str, str]
    cause: Cause
    stage: str
    before_ps: Number
    after_ps: Number
    distance: float


class TwinOutput(Output, tag="airwire.twin/1"):
    """A real board beside its virtual twin."""

    command: ClassVar[str] = "twin"
    run: str | None
    image: str
    address: str
    agrees: bool
    parts: Sequence[PartObject]
    open_ps: Number
    tolerance_ps: Number
    network_is_known: bool
    suspects: Sequence[SuspectObject]
    verdict: str
    details: Sequence[str]
    virtual: BoardObject
    real: AddressObject


def twin_output(found: Twin) -> TwinOutput:
    """The object of ``airwire twin``."""
    return TwinOutput(
        run=found.analysis.run_folder,
        image=found.image,
        address=found.address,
        agrees=found.agrees,
        parts=[PartObject(part.kind, whole(part.ps)) for part in found.parts],
        open_ps=whole(found.open_ps),
        tolerance_ps=whole(found.tolerance_ps),
        network_is_known=found.network_is_known,
        suspects=[
            SuspectObject(
                one.change, one.was, one.cause, one.stage, whole(one.before_ps), whole(one.after_ps), one.distance
            )
            for one in found.suspects
        ],
        verdict=verdict_line(found),
        details=details(found),
        virtual=board_object(found.virtual),
        real=address_object(found.real),
    )
