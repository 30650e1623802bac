"""Sweeps: the rows of a suite over axes and seeds, in processes here or on a Dask cluster, into one Parquet data set.

``running.py`` is the way through: a plan of points (``plan.py``, of ``axes.py``, ``entries.py`` and ``designs.py``),
who carries them out (``processes.py`` or ``cluster.py``, which both call ``point.py``), and the folder that keeps what
is finished (``folder.py``).
"""
