"""What ends a command early: Ctrl-C, or the signals that service managers and closed terminals send.

SIGTERM and SIGHUP do what Ctrl-C does, so that temporary folders go and what was measured is kept. Only the sentence
and the exit code tell them apart.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import typer

from airwire.cli.complaints import EXIT_INTERRUPTED, complain

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_LIKE_CTRL_C = ("SIGTERM", "SIGHUP")
_AGAIN_AFTER_S = 0.001
_came: list[signal.Signals] = []
_said: list[str] = []


def listen() -> None:
    """Hear Ctrl-C where the entry point left it to the system, and the others; what a shell has ignored stays so."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for one in _others():
        if signal.getsignal(one) is signal.SIG_DFL:
            signal.signal(one, _end)
    sys.unraisablehook = _not_lost


def listen_no_more() -> None:
    """All is said; whoever sends another one wants nothing more of it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for one in _others():
        if signal.getsignal(one) is _end:
            signal.signal(one, signal.SIG_DFL)


def say_stopped(what_is_kept: str = "") -> int:
    """Say by what the command was stopped, and what became of its work; gives the exit code."""
    _said.append(f"stopped by {_came[0].name if _came else 'Ctrl-C'}{what_is_kept}")
    complain(_said[-1])
    return 128 + _came[0] if _came else EXIT_INTERRUPTED


def say_if_stopped(code: int) -> int:
    """The exit code of a command that ended with ``code``, perhaps because it was stopped and nobody said so.

    typer ends one that is stopped while it reads its options without a word. Behind a terminal that is closed, what
    tidies up fails to write.
    """
    if code == EXIT_INTERRUPTED and not _said:
        return say_stopped()
    return 128 + _came[0] if _came and code else code


def stopped(what_is_kept: str = "") -> typer.Exit:
    """The same as the exit of a command, to be raised."""
    return typer.Exit(say_stopped(what_is_kept))


@contextmanager
def keeping(what_is_kept: str | None) -> Iterator[None]:
    """What follows the work, such as drawing: where it is stopped, say what of the work is kept all the same."""
    try:
        yield
    except KeyboardInterrupt:
        raise stopped("" if what_is_kept is None else f"; {what_is_kept}") from None


def _others() -> list[signal.Signals]:
    """Those that this system has."""
    return [getattr(signal, name) for name in _LIKE_CTRL_C if hasattr(signal, name)]


def _not_lost(lost: UnraisableHookArgs) -> None:
    """Send the signal again shortly after, when Python is elsewhere.

    Python drops what is raised while an object is removed, or where a library calls back from C: the command would go
    on.
    """
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    number = _came[-1] if _came else signal.SIGINT
    if _came:
        signal.signal(number, _end)
    threading.Thread(target=_send_again, args=[number], daemon=True).start()


def _send_again(number: signal.Signals) -> None:
    """Send it once the main thread has left the hook, in which Python would drop it as well."""
    while _is_in_hook():
        time.sleep(_AGAIN_AFTER_S)
    _send(number)


def _is_in_hook() -> bool:
    """Whether the main thread is still about to have the signal sent again."""
    main = threading.main_thread().ident
    frame = None if main is None else sys._current_frames().get(main)
    while frame is not None and frame.f_code is not _not_lost.__code__:
        frame = frame.f_back
    return frame is not None


def _send(number: signal.Signals) -> None:
    """To the main thread, so that it wakes if it waits for something."""
    main = threading.main_thread().ident
    if main is None or not hasattr(signal, "pthread_kill"):
        signal.raise_signal(number)
    else:
        signal.pthread_kill(main, number)


def _end(number: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C would do now; a second signal ends the process at once."""
    _came.append(signal.Signals(number))
    signal.signal(number, signal.SIG_DFL)
    ctrl_c = signal.getsignal(signal.SIGINT)
    if not callable(ctrl_c):
        raise KeyboardInterrupt
    ctrl_c(signal.SIGINT, frame)
