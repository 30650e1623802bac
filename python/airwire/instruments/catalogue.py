"""The instruments that there are: one line each. Their modules load when they are used, as some need packages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from airwire import _core
from airwire.instruments.base import Instrument, InstrumentError, Wanted


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instrument, as ``--instrument`` names it."""

    name: str
    place: str
    """What stands behind the name and a colon; empty where nothing has to."""
    module: str
    type_name: str
    title: str

    @property
    def spelling(self) -> str:
        """``sigrok:DRIVER``."""
        return f"{self.name}:{self.place}" if self.place else self.name


KINDS: Sequence[Kind] = (
    Kind("sigrok", "DRIVER", "airwire.instruments.sigrok", "Sigrok", "an analyser that sigrok drives, or a file"),
    Kind(
        "pico", "PORT", "airwire.instruments.pico_serial", "Pico", "the stopwatch on a Pico, such as pico:/dev/ttyACM0"
    ),
    Kind("saleae", "", "airwire.instruments.saleae", "Saleae", "an analyser of Saleae's, through Logic 2"),
)


def open_instrument(spelling: str, wanted: Wanted) -> Instrument:
    """The instrument that ``--instrument`` names. Raises ``InstrumentError`` where there is none of this name."""
    name, _, place = spelling.partition(":")
    kind = next((one for one in KINDS if one.name == name), None)
    if kind is None:
        hint = _core.name_hint(name, [one.name for one in KINDS])
        raise InstrumentError(f"--instrument {spelling}: there is no instrument {name}; {hint}")
    if kind.place and not place:
        raise InstrumentError(f"--instrument {spelling}: say which one: {kind.spelling}")
    if wanted.trigger == wanted.done:
        raise InstrumentError(
            f"--trigger and --done name the same channel, {wanted.trigger}; name two, as a message joins two"
        )
    made: Instrument = getattr(import_module(kind.module), kind.type_name)(place, wanted)
    return made
