"""CircuitPython's own image plays ping-pong with Adafruit's library, both unmodified, on the virtual board."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from circuitpython_image import circuitpython, is_possible, library_files, measured_ping_pong
from public_images import public_image

FOUND = [find_spec(name) for name in ("adafruit_wiznet5k", "adafruit_ticks")]
REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = REPOSITORY / "firmware" / "python"
PS_PER_MS = 10**9

pytestmark = [
    pytest.mark.skipif(None in FOUND, reason="pip install --no-deps -r tests/drivers/requirements.txt"),
    pytest.mark.skipif(not is_possible(), reason="files are put on the disk by Debian's mtools, which are not here"),
]


@pytest.fixture
def libraries() -> Path:
    (origin,) = {spec.origin for spec in FOUND[:1] if spec is not None}
    assert origin is not None
    return Path(origin).parents[1]


def test_the_public_client_takes_what_its_interpreter_takes(libraries: Path, tmp_path: Path) -> None:
    quiet = measured_ping_pong(tmp_path, libraries, debug=False, messages=50)
    chatty = measured_ping_pong(tmp_path, libraries, debug=True, messages=50)

    assert quiet.last == chatty.last == 2 * 50 - 2, "each number is the next one"
    assert quiet.board.traffic["pingpong-server"].summary == "answered 50 messages", "the PC counts as many"
    # Four collections a message are debug's own, besides four lines on the console.
    added_ps = (chatty.total_ps - quiet.total_ps) / 50
    assert 4 * quiet.collection_ps < added_ps < 4 * quiet.collection_ps + 8 * PS_PER_MS
    # Published of release 8.2.6 with debug: 89.8 ms a message.
    assert chatty.total_ps / 50 == pytest.approx(89.8 * PS_PER_MS, rel=0.25)


def test_our_client_for_circuitpython_runs_in_circuitpython(libraries: Path, tmp_path: Path) -> None:
    network = tmp_path / "network.toml"
    network.write_text("[traffic.pingpong-server]\n[traffic.dhcp]\n", encoding="utf-8")
    client = (SCRIPTS / "circuitpython" / "pingpong_client.py").read_text(encoding="utf-8")
    (tmp_path / "code.py").write_text(client.replace("MESSAGES = 1000", "MESSAGES = 20"), encoding="utf-8")
    own = [SCRIPTS / "pingpong.py", *(SCRIPTS / "circuitpython" / f"{name}.py" for name in ("readiness", "streams"))]
    files = {"code.py": tmp_path / "code.py", **{path.name: path for path in own}, **library_files(libraries)}
    image = public_image("circuitpython-9.2.1.uf2")
    board = circuitpython(image, files, tmp_path, board="w5500-evb-pico", network=network)

    board.run("60 s", until="messages/s")

    assert "20 messages in " in board.console, board.console[-500:]
