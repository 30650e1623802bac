"""A board at an address beside its virtual twin: same image, same settings, same traffic, and the difference."""

from __future__ import annotations

from airwire.twin.comparison import Part, Twin, twin
from airwire.twin.hypotheses import Suspect

__all__ = ["Part", "Suspect", "Twin", "twin"]
