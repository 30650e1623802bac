"""A sweep as pictures: response curves, heat maps and parallel coordinates, and the page that shows them.

What is drawn comes as plain values (``data.py``); that it was a suite, and who ran it, is not known here.
"""

from airwire.report.sweep.data import Axis, Combination, SweepData
from airwire.report.sweep.page import figures_of, page

__all__ = ["Axis", "Combination", "SweepData", "figures_of", "page"]
