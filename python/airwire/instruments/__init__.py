"""Instruments that watch a trigger and a done line of a real board: logic analysers, and a Pico as a stopwatch.

``base`` says what an instrument is, ``catalogue`` which there are, ``measurement`` runs one until it has seen enough.
"""
