"""Airwire: the test bench for microcontroller network links.

The functions here are the whole Python interface; each returns plain dataclasses (:mod:`airwire.model`) and
polars frames. Nothing heavy is imported until it is used.

>>> import airwire
>>> airwire.parse_time("102.4 ms")
102400000000
"""

import lazy_loader

# The stub beside this file is the one list of public names.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
