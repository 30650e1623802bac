"""Airwire's own speed, side by side with its peers in one run. ``make bench`` runs all of it."""
