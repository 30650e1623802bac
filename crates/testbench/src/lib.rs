//! airwire testbench
