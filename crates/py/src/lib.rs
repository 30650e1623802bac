//! airwire py
