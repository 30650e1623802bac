"""``docs/explanation/findings.md`` names captures and evidence; the captures show what it says of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs_console import REPOSITORY

import airwire

PAGE = REPOSITORY / "docs" / "explanation" / "findings.md"
_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {match[1]: match[2] for match in _SECTION.finditer(PAGE.read_text(encoding="utf-8"))}
KINDS = (
    "gate", "frozen_phase", "phase_coverage", "comb", "steps", "drift", "bursts", "loss_as_latency",
)  # fmt: skip


def test_every_kind_has_a_section_with_how_evidence_doubts_and_a_next_step() -> None:
    assert set(SECTIONS) == set(KINDS)
    for kind, text in SECTIONS.items():
        for part in ("How.", "Evidence.", "What fools it.", "Next.", "Seen in."):
            assert f"**{part}**" in text, f"{kind} lacks: {part}"


@pytest.mark.parametrize("kind", KINDS)
def test_captures_named_for_a_finding_show_it_with_the_evidence_that_is_listed(kind: str, real_captures: Path) -> None:
    section = SECTIONS[kind]
    seen_in = section[section.index("**Seen in.**") :]
    paths = re.findall(r"`([\w/.-]+\.csv)`", seen_in)
    assert paths
    for path in paths:
        found = [f for f in airwire.analyze(real_captures / path).captures[0].findings if f.kind == kind]
        assert found, f"{path} shows no {kind}"
        missing = [key for finding in found for key in finding.evidence if f"`{key}`" not in section]
        assert not missing, f"{kind}: {missing} are not listed"


def test_the_tick_crossing_that_the_page_names_is_found(real_captures: Path) -> None:
    capture = airwire.analyze(real_captures / "esp-tcp" / "12B-modified.csv").captures[0]
    assert any("crossing_fall_ps" in finding.evidence for finding in capture.findings)
