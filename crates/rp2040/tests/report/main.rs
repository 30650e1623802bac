//! Reports against others: the disassembler against objdump, backtraces against gdb and against those that probe-rs keeps of
//! memory dumps of real boards, fault reports of our own images. What is not installed or not there is skipped.

mod coredump;
mod faults;
mod gdb;
mod objdump;
mod support;
