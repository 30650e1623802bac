"""Chromium without a window and without a network, driven through its debugging pipe by the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))),
    None,
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
PATIENCE_SECONDS = 120.0


class Tab:
    """One page of the browser, with what its console said."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number, self._buffer = 0, b""
        self._session: str | None = None
        self.complaints: list[str] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def open(self, path: Path, *, width: int, dark: bool = False) -> None:
        """Load a page of this width and wait until its script is ready and no chart in view is missing."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])
        self.resize(width, 900)
        self._ask("Page.navigate", url=path.as_uri())
        self.wait("document.readyState === 'complete' && document.body?.dataset.ready === 'true'")
        self.settle()

    def resize(self, width: int, height: int) -> None:
        """Give the page a window of this size."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def settle(self) -> None:
        """Wait until every chart that was begun is there."""
        self.wait("[...document.querySelectorAll('.chart[data-drawn]')].every((one) => one.querySelector('svg'))")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.ask(condition):
            assert time.monotonic() < end, f"the page never came to: {condition}"
            time.sleep(0.1)

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def photograph(self, path: Path, *, full: bool = False) -> None:
        """Write a picture of what the window shows, or of the whole page."""
        shown = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(shown["data"]))

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self._listen(answer)

    def _listen(self, event: dict[str, Any]) -> None:
        if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(event["params"])[:400])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], PATIENCE_SECONDS)
            assert ready, "Chromium does not answer"
            part = os.read(self._answers, 1 << 20)
            assert part, "Chromium has ended"
            self._buffer += part
        first, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message


@contextmanager
def browser(profile: Path) -> Iterator[Tab]:
    """A browser that ends with the block."""
    assert CHROMIUM is not None
    their_in, commands = os.pipe()
    answers, their_out = os.pipe()
    # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
    launch = f'exec "$@" 3<&{their_in} 4>&{their_out}'
    command = ["bash", "-c", launch, "bash", CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(
        command, pass_fds=(their_in, their_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        os.close(their_in)
        os.close(their_out)
        try:
            yield Tab(commands, answers)
        finally:
            process.terminate()
            os.close(commands)
            os.close(answers)
