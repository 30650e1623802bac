"""Captures of logic analysers: their edges paired, their latencies described, and files of one kind as another."""
