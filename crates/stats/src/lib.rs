//! airwire stats
