"""A board at an address beside its virtual twin: same image, same settings, same traffic, and the difference."""

from __future__ import annotations

from airwire.twins.comparison import Part, Twin, twin
from airwire.twins.hypotheses import Suspect

__all__ = ["Part", "Suspect", "Twin", "twin"]
