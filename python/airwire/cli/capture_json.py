"""The JSON of ``capture``: that of ``analyze``, with the instrument and how the measurement ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from airwire.cli.json_output import AnalyzeOutput, analysis_output
from airwire.instruments.measurement import Ending

if TYPE_CHECKING:
    from airwire.instruments.measurement import Measured
    from airwire.model import Analysis


class CaptureOutput(AnalyzeOutput, tag="airwire.capture/1"):
    """A capture of an instrument, analysed."""

    command: ClassVar[str] = "capture"
    instrument: str
    sample_rate_hz: int | None
    """What the instrument said of it, if anything."""
    capture: str
    ended: Ending
    """Why the measurement ended: enough pairs, its time was over, Ctrl-C, a file at its end, an instrument gone."""


def capture_output(analysis: Analysis, measured: Measured, instrument: str) -> CaptureOutput:
    """The object of ``airwire capture``."""
    content = analysis_output(analysis)
    return CaptureOutput(
        **{name: getattr(content, name) for name in content.__struct_fields__},
        instrument=instrument,
        sample_rate_hz=measured.sample_rate_hz,
        capture=str(measured.capture),
        ended=measured.ending,
    )
