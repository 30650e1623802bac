//! The AVRs through the interface of every microcontroller: programs of a few words, with the cycles and effects that manual
//! and datasheets give.

mod adc;
mod cycles;
mod definitions;
mod digital_inputs;
mod files;
mod interrupts;
mod peripherals;
mod power_reduction;
mod reserved_bits;
mod self_programming;
mod spi_select;
mod support;
mod usart_wires;
mod whole;
