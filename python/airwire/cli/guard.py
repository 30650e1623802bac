"""What stands around every command: whatever happens, it ends with a sentence and a documented exit code.

Standard streams that the caller closed, Ctrl-C at any time, full disks, memory that runs out, and faults of our own.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import typer

from airwire.cli.complaints import EXIT_BAD_INPUT, complain
from airwire.cli.plain import PlainStream, one_line
from airwire.cli.stopping import listen, listen_no_more, say_if_stopped, say_stopped

EXIT_FAULT = 70
"""A fault of Airwire itself: ``EX_SOFTWARE`` of sysexits.h."""
MOST_THREADS = 1024
_LEAST_ADDRESS_SPACE_BYTES = 1 << 30
_THREAD_COUNTS = {"RAYON_NUM_THREADS": 0, "POLARS_MAX_THREADS": 1}
"""The least of each; 0 stands for as many as there are cores, which polars does not know."""
_GONE = "this folder was removed while you were in it; go to another one"
_SHOW_TRACEBACK = "AIRWIRE_TRACEBACK"


def guarded(command: Callable[[], int | None]) -> NoReturn:
    """Run a command, and end the process with its exit code."""
    _open_streams()
    try:
        listen()
        _end_silently_where_nobody_reads()
        code = say_if_stopped(code_of(command))
    except KeyboardInterrupt:
        code = say_stopped()
    finally:
        _forget_what_cannot_be_written()
    listen_no_more()
    sys.exit(code)


def code_of(command: Callable[[], int | None]) -> int:
    """Run a command, and say what went wrong; gives the exit code."""
    try:
        code = command() or 0
        sys.stdout.flush()
    except SystemExit:
        raise
    except BaseException as error:  # Rust's panics are no Exception.
        return say_stopped() if _is_interruption(error) else _told(error)
    return code


def _is_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C is what an error comes from: where a module loads, others wrap it in errors of their own."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        if isinstance(found, KeyboardInterrupt):
            return True
        seen.add(id(found))
        found = found.__cause__ or found.__context__
    return False


def _told(error: BaseException) -> int:
    """Say what went wrong; gives the exit code."""
    from airwire._core import AirwireError

    if isinstance(error, typer.TyperException):
        _say_usage(error)
        return EXIT_BAD_INPUT
    if isinstance(error, typer.Abort):
        complain("there is nothing more to read")
        return EXIT_BAD_INPUT
    if isinstance(error, AirwireError | OSError):
        complain(_sentence(error))
        return EXIT_BAD_INPUT
    if isinstance(error, MemoryError):
        complain("this takes more memory than there is; ask for less at once, such as fewer samples")
        return EXIT_BAD_INPUT
    if os.environ.get(_SHOW_TRACEBACK):
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    complain(
        f"this is a fault of Airwire itself, please report it: {type(error).__name__} at {where}: {error} "
        f"({_SHOW_TRACEBACK}=1 shows the way there)"
    )
    return EXIT_FAULT


def _say_usage(error: typer.TyperException) -> None:
    """How a command is used, and the sentence that says what is wrong."""
    said = io.StringIO()
    error.show(said)  # type: ignore[attr-defined]
    usage, _, sentence = said.getvalue().partition("Error: ")
    sys.stderr.write(f"{usage}Error: {one_line(sentence.rstrip())}\n")


def _sentence(error: BaseException) -> str:
    """The system's errors begin with a number that says nothing to the user."""
    is_gone = _is_folder_gone()
    beside = f" ({_GONE})" if is_gone else ""
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None and is_gone:
            return _GONE
        if error.filename is None:
            return f"standard output: cannot write it: {error.strerror}; send it elsewhere, or make room"
        return f"{error.filename}: {error.strerror}{beside}"
    return f"{error}{beside}"


def _is_folder_gone() -> bool:
    """Whether the working folder is no more, so that no relative path leads anywhere."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def check_room() -> None:
    """Refuse to begin where memory or threads must run out: neither can be told in a sentence when it happens.

    Raises ``AirwireError`` with what is set and what to set.
    """
    from airwire._core import AirwireError

    for name, least in _THREAD_COUNTS.items():
        wanted = os.environ.get(name)
        if wanted is not None and not _is_count(wanted, least):
            raise AirwireError(
                f"{name} is {wanted:.60}, but it takes a number of threads from {least} to {MOST_THREADS}; unset it"
            )
    with suppress(ImportError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY and limit < _LEAST_ADDRESS_SPACE_BYTES:
            raise AirwireError(
                f"the address space is limited to {limit >> 20} MiB, and {_LEAST_ADDRESS_SPACE_BYTES >> 20} MiB are "
                "needed; raise it with ulimit -v"
            )


def _is_count(wanted: str, least: int) -> bool:
    # Python itself refuses to read thousands of digits.
    is_number = wanted.isascii() and wanted.isdecimal() and len(wanted) <= len(str(MOST_THREADS))
    return is_number and least <= int(wanted) <= MOST_THREADS


def _end_silently_where_nobody_reads() -> None:
    """A reader of the pipe that has gone (head, less) ends the command silently, as it does every Unix tool."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _open_streams() -> None:
    """Streams that the caller closed lead nowhere; otherwise the next file that is opened would take their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            stream = _nowhere(number)
        if number and type(stream) is io.TextIOWrapper:
            stream = PlainStream(stream)
        setattr(sys, name, stream)


def _forget_what_cannot_be_written() -> None:
    """The interpreter writes again what a full disk or a closed terminal refused, and ends with a code of its own."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)


def _nowhere(number: int) -> io.TextIOWrapper:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return open(number, "w" if number else "r", encoding="utf-8", closefd=False)
