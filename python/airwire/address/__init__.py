"""Boards on the network of this computer, measured at their addresses."""

from __future__ import annotations

from airwire.address.row import AddressRow, OwnFloor

__all__ = ["AddressRow", "OwnFloor"]
