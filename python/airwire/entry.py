"""Where the command ``airwire`` begins: before anything is loaded, so that Ctrl-C is heard from the start.

Loading takes a moment, in which there is nothing to keep and nothing to say: Ctrl-C ends the process as it ends any
other.
"""

from __future__ import annotations

import signal


def main() -> None:
    """Load the command line and run it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from airwire.cli import main as run

    run()


if __name__ == "__main__":
    main()
