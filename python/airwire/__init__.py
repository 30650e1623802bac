"""Airwire: the test bench for microcontroller network links.

The functions here are the whole Python interface; each returns plain dataclasses (:mod:`airwire.model`) and
polars frames. Nothing heavy is imported until it is used.

>>> import airwire
>>> airwire.parse_time("102.4 ms")
102400000000
"""

from __future__ import annotations

# The command loads this before anything else: what it does not need is not loaded.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_attached: tuple[Callable[[str], Any], Callable[[], list[str]], list[str]] | None = None


def _stub() -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The stub beside this file, which is the one list of public names; it is read when one of them is asked for."""
    global _attached
    if _attached is None:
        import lazy_loader

        _attached = lazy_loader.attach_stub(__name__, __file__)
    return _attached


def __getattr__(name: str) -> Any:
    get, _, names = _stub()
    return names if name == "__all__" else get(name)


def __dir__() -> list[str]:
    return _stub()[1]()
