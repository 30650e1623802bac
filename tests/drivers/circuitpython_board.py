"""A CircuitPython board whose SPI is that of a virtual chip: CircuitPython libraries run on it unmodified.

:class:`CircuitPythonBoard` imports a library from where pip put it and gives it the modules that are built into
CircuitPython (``circuitpython_modules.py``). Its time is the virtual time of an :class:`airwire.SpiController`: a sleep
is a wait there, and what the interpreter takes is declared (:class:`Costs`). Boards do not share modules.

Left out: threads, files, and all of ``board`` but one SPI, its chip select and a reset pin. All bytecodes take the same
time, whatever they do. CircuitPython counts time in 1/1024 s; here sleeps are exact.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from circuitpython_modules import DigitalInOut, SpiBus, built_in_modules

from airwire.board.spi_controller import SpiController

_CONSOLE_PRINTS = 10_000
"""The console keeps so many prints."""

PS_PER_S = 10**12


@dataclass(frozen=True)
class Costs:
    """What the interpreter takes, as it is declared; nothing, unless something is said."""

    bytecode_ps: int = 0
    """For each bytecode that CPython counts in the library and in scripts."""
    transaction_ps: int = 0
    """For each SPI transaction: a rough stand-in for bytecodes where nobody counts them."""
    character_ps: int = 0
    """For each character on the console."""
    collection_ps: int = 0
    """For each ``gc.collect()``."""


@dataclass(frozen=True)
class Spent:
    """What a board has done, and what of it took declared time."""

    bytecodes: int = 0
    """Counted only inside of :meth:`CircuitPythonBoard.counting`."""
    characters: int = 0
    collections: int = 0
    sleeps: int = 0
    sleep_ps: int = 0

    def __sub__(self, before: Spent) -> Spent:
        """What happened since."""
        return Spent(*(getattr(self, name) - getattr(before, name) for name in self.__dataclass_fields__))

    def interpreter_ps(self, costs: Costs) -> int:
        """The time of bytecodes."""
        return self.bytecodes * costs.bytecode_ps


class OutOfTimeError(Exception):
    """The board's virtual time is over: what ran on it would have gone on."""


class CircuitPythonBoard:
    """CircuitPython in front of a virtual chip.

    ``libraries`` are folders that are searched before Python's own path; ``seed`` is that of the module ``random``;
    ``end_ps`` is the virtual time at which whatever still runs is stopped with :class:`OutOfTimeError`.
    """

    def __init__(
        self,
        controller: SpiController,
        *,
        costs: Costs = Costs(),
        libraries: Sequence[Path] = (),
        seed: int = 1,
        end_ps: int = 120 * PS_PER_S,
    ) -> None:
        self.controller = controller
        self.costs = costs
        self.spi = SpiBus(self)
        self.chip_select = DigitalInOut(self._select, self)
        self.reset = DigitalInOut(controller.set_reset, self)
        self.console: deque[str] = deque(maxlen=_CONSOLE_PRINTS)
        self._spent = Spent()
        self._bytecodes = 0
        self._unpaid_bytecodes = 0
        self._end_ps = end_ps
        self._libraries = [str(folder) for folder in libraries]
        self._modules: dict[str, Any] = {}
        self._built_in = built_in_modules(self, seed)
        self._builtins = {**vars(builtins), "__import__": self._import, "print": self.print}

    @property
    def spent(self) -> Spent:
        """What was done so far."""
        return replace(self._spent, bytecodes=self._bytecodes)

    def now_ps(self) -> int:
        """The virtual time, with what the interpreter took so far."""
        self.catch_up()
        return self.controller.now_ps

    def catch_up(self) -> None:
        """Let the time of bytecodes pass that have run; whatever touches the outside does so first."""
        if self._unpaid_bytecodes and self.costs.bytecode_ps:
            self.controller.wait(self._unpaid_bytecodes * self.costs.bytecode_ps)
        self._unpaid_bytecodes = 0
        if self.controller.now_ps > self._end_ps:
            raise OutOfTimeError(f"{self._end_ps / PS_PER_S} s of virtual time are over")

    def sleep(self, seconds: float) -> None:
        """``time.sleep``."""
        self.catch_up()
        time_ps = round(seconds * PS_PER_S)
        self.controller.wait(time_ps)
        spent = self._spent
        self._spent = replace(spent, sleeps=spent.sleeps + 1, sleep_ps=spent.sleep_ps + time_ps)

    def collect(self) -> None:
        """``gc.collect``."""
        self.catch_up()
        self.controller.wait(self.costs.collection_ps)
        self._spent = replace(self._spent, collections=self._spent.collections + 1)

    def print(self, *values: object) -> None:
        """``print``, on a console whose lines end in CR and LF."""
        self.catch_up()
        text = " ".join(map(str, values))
        self.console.append(text)
        characters = len(text.replace("\n", "\r\n").encode()) + 2
        self.controller.wait(characters * self.costs.character_ps)
        self._spent = replace(self._spent, characters=self._spent.characters + characters)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count bytecodes inside, and let their declared time pass."""
        before = sys.gettrace()
        sys.settrace(self._trace_call)
        try:
            yield
            self.catch_up()
        finally:
            sys.settrace(before)

    def import_module(self, name: str) -> Any:
        """A module of a library, as a script on this board sees it."""
        parent, _, last = name.rpartition(".")
        package = self.import_module(parent) if parent else None
        if name not in self._modules:
            self._modules[name] = self._load(name, package)
        if package is not None:
            setattr(package, last, self._modules[name])
        return self._modules[name]

    def run(self, script: Path) -> dict[str, Any]:
        """Run a script; gives its globals, and what they do from then on is done on this board."""
        names: dict[str, Any] = {"__name__": "__main__", "__builtins__": self._builtins}
        exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), names)
        return names

    def _select(self, high: bool) -> None:
        if not high and self.costs.transaction_ps:
            self.controller.wait(self.costs.transaction_ps)
        self.controller.select(not high)

    def _load(self, name: str, package: Any) -> ModuleType:
        search = self._libraries + sys.path if package is None else list(package.__path__)
        spec = importlib.machinery.PathFinder.find_spec(name, search)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"there is no module {name} for the virtual board", name=name)
        module = ModuleType(name)
        vars(module).update(__builtins__=self._builtins, __file__=spec.origin, __package__=name.rpartition(".")[0])
        if spec.submodule_search_locations is not None:
            module.__path__ = list(spec.submodule_search_locations)
            module.__package__ = name
        # A package's modules import each other in a circle.
        self._modules[name] = module
        exec(compile(Path(spec.origin).read_text(encoding="utf-8"), spec.origin, "exec"), vars(module))
        return module

    def _import(
        self, name: str, globals_: Any = None, locals_: Any = None, names: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        """``__import__`` for the library and for scripts: Python's own modules only where the board has none."""
        top = name.partition(".")[0]
        if name in self._built_in:
            return self._built_in[name]
        if not top.startswith("adafruit_"):
            return builtins.__import__(name, globals_, locals_, names or (), level)
        module = self.import_module(name)
        return module if names else self._modules[top]

    def _trace_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_globals.get("__builtins__") is not self._builtins:
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return self._trace_bytecode

    def _trace_bytecode(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            self._bytecodes += 1
            self._unpaid_bytecodes += 1
        return self._trace_bytecode
