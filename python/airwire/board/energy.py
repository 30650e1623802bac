"""What a board took of its supply: the time in each state of its microcontroller, its Ethernet chip and its radio, by
the currents of these states.

The core counts the time and has the currents with their sources (``crates/board/currents.toml``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

PartKind = Literal["mcu", "ethernet", "radio"]
_PS = 1e-12


@dataclass(frozen=True, slots=True)
class StateEnergy:
    """A state of a part."""

    state: str
    """``running`` and ``asleep`` of a microcontroller; of other parts what a datasheet calls it."""
    time_ps: int
    coulombs: float | None
    """``None`` where the current of the state is not known."""


@dataclass(frozen=True, slots=True)
class PartEnergy:
    """A part of a board."""

    part: str
    kind: PartKind
    supply_volts: float
    states: Sequence[StateEnergy]

    @property
    def coulombs(self) -> float:
        """What it took in all of its states whose currents are known."""
        return sum(state.coulombs or 0.0 for state in self.states)


@dataclass(frozen=True, slots=True)
class SupplyUse:
    """What a board took of its supply since it was started."""

    parts: Sequence[PartEnergy]
    """Those whose currents are known."""
    without: Sequence[str]
    """The others, as a sentence has them."""

    def mean_current(self, time_ps: int) -> float | None:
        """The mean current of a time in amperes; ``None`` where no part has currents, or no time has passed."""
        if not self.parts or not time_ps:
            return None
        return sum(part.coulombs for part in self.parts) / (time_ps * _PS)

    def shares(self) -> list[tuple[str, float]]:
        """Where the energy went, the most first: a microcontroller by its states, other parts as a whole."""
        joules: list[tuple[str, float]] = []
        for part in self.parts:
            if part.kind == "mcu":
                joules += [
                    (f"{part.part} {one.state}", (one.coulombs or 0.0) * part.supply_volts) for one in part.states
                ]
            else:
                joules.append((part.part, part.coulombs * part.supply_volts))
        whole = sum(one for _, one in joules)
        found = [(name, one / whole) for name, one in joules] if whole else []
        return sorted(found, key=lambda one: -one[1])


@dataclass(frozen=True, slots=True)
class BoardEnergy(SupplyUse):
    """What the messages of a row took: from one that begins to another one that begins."""

    time_ps: int
    per: Literal["message", "kB"]
    """What a message is: of a bulk transfer a kilobyte."""
    messages: float
    message_j: float | None
    """A message with the time until the next one, in joules; ``None`` where no part has currents."""
    mean_a: float | None
    """The mean current of all parts together, in amperes; likewise."""

    @property
    def every_ps(self) -> float:
        """How far apart messages were."""
        return self.time_ps / self.messages


def supply_use(content: Mapping[str, Any]) -> SupplyUse:
    """What the core tells of it."""
    parts = [
        PartEnergy(**{**part, "states": [StateEnergy(**state) for state in part["states"]]})
        for part in content["parts"]
    ]
    return SupplyUse(parts, content["without"])
