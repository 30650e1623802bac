"""What the live view can show: anything that, once started, pushes samples into a feed until it ends or is stopped."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import Protocol

from airwire import _core
from airwire.live.feed import Feed

_HEARD_WITHIN_S = 5.0


class Source(Protocol):
    """A measurement that runs by itself, on a thread of its own."""

    def run(self, feed: Feed) -> str:
        """Push samples until the end, or until ``feed.is_stopped``; gives a sentence on how it ended.

        Raises ``AirwireError`` or ``OSError`` where it cannot go on; what was pushed before stays.
        """


def start(sources: Sequence[Source], feed: Feed) -> list[Thread]:
    """Run sources side by side into one feed, which is finished when all have ended."""
    left = [len(sources)]
    failures: list[str] = []
    endings: list[str] = []

    def work(source: Source) -> None:
        try:
            endings.append(source.run(feed))
        except (_core.AirwireError, OSError) as error:
            failures.append(str(error))
        except KeyboardInterrupt:
            # polars breaks off at Ctrl-C on whatever thread it computes. The main thread hears of it as well and asks
            # the feed to stop; until then the measurement counts as running.
            feed.rest(_HEARD_WITHIN_S)
            endings.append("stopped by Ctrl-C")
        except BaseException:
            failures.append("the measurement ended by a fault of Airwire; please report it")
            raise
        finally:
            left[0] -= 1
            if left[0] == 0:
                feed.finish("; ".join(failures or endings), "failed" if failures else "finished")

    threads = [Thread(target=work, args=(source,), daemon=True) for source in sources]
    for thread in threads:
        thread.start()
    return threads
