"""Memory that does not grow with the file: 400 MB of CSV and a session of 10 million edges."""

from __future__ import annotations

import pytest
from benches import ingest
from benches.material import MESSAGES, logic2_csv, sal
from benches.timing import peak_mebibytes

_RESULT_MIB = MESSAGES * 17 / 2**20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["big.csv", "big.sal"])
def test_a_large_capture_needs_at_most_64_mib_beyond_its_result(name: str) -> None:
    folder = ingest.material_folder()
    logic2_csv(folder / "big.csv")
    sal(folder / "big.sal")
    base = peak_mebibytes("from airwire import _core")
    peak = peak_mebibytes(ingest.AIRWIRE, str(folder / name), str(MESSAGES))
    assert peak - base - _RESULT_MIB < 64
