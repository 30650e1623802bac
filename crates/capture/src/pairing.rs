//! Pairs trigger edges with done edges.
