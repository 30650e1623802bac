"""The colours of causes are told apart, from each other and from the paper, in a page that has links and boards."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest

from airwire.report.stage_colours import KINDS
from airwire.report.theme import DARK, LIGHT, resolve

LEAST_CONTRAST = 3.0
"""Of a graphical object with what is beside it (WCAG 2.2, success criterion 1.4.11)."""
LEAST_DISTANCE = 0.09
"""In OKLab, of which 0.02 is about what can just be seen."""


def linear(colour: str) -> list[float]:
    """Red, green and blue, proportional to light (IEC 61966-2-1)."""
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 defines it."""
    darker, lighter = sorted(
        sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
        for colour in (one, other)
    )
    return (lighter + 0.05) / (darker + 0.05)


def oklab(colour: str) -> list[float]:
    """Lightness and two opponent axes, in which distances are about as large as they are seen (Ottosson 2020)."""
    cones = ((0.4122, 0.5363, 0.0514), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.6300))
    axes = ((0.2105, 0.7936, -0.0041), (1.9780, -2.4286, 0.4506), (0.0259, 0.7828, -0.8087))
    light = linear(colour)
    roots = [sum(weight * part for weight, part in zip(row, light, strict=True)) ** (1 / 3) for row in cones]
    return [sum(weight * root for weight, root in zip(row, roots, strict=True)) for row in axes]


def distance(one: str, other: str) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(oklab(one), oklab(other), strict=True)) ** 0.5)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_cause_has_a_colour_of_its_own_that_is_seen(palette: Mapping[str, str]) -> None:
    colours = {kind: resolve(colour, palette) for kind, (colour, _) in KINDS.items()}
    near = {pair: round(distance(colours[pair[0]], colours[pair[1]]), 3) for pair in itertools.combinations(colours, 2)}
    assert {pair: apart for pair, apart in near.items() if apart < LEAST_DISTANCE} == {}
    faint = {kind: round(contrast(colour, palette["paper"]), 2) for kind, colour in colours.items()}
    assert {kind: seen for kind, seen in faint.items() if seen < LEAST_CONTRAST} == {}
