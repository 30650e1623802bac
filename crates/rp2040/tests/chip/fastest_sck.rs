//! The fastest SCK: half of the clock that SPI blocks divide, and where none is on, half of clk_sys, which PIO divides.

use mcu::Mcu;

use crate::bench::*;
use crate::spi_dma::{LR, SPI, at_125_mhz};

const CLK_PERI: u32 = 0x4000_8048;
const ENABLE: u32 = 1 << 11;
const FROM_CRYSTAL: u32 = 4 << 5;
const SSPCR1: u32 = SPI + 4;
const SSE: u32 = 1 << 1;

/// With clk_sys at 125 MHz and a crystal of 12 MHz.
fn fastest_sck_hz(clk_peri: u32, sspcr1: u32) -> u64 {
    let mut asm = at_125_mhz(in_ram());
    asm.label("set up").poke(CLK_PERI, clk_peri).poke(SSPCR1, sspcr1).bx(LR).pool();
    asm.label("main").stop().pool();
    let mut chip = chip_with(asm);
    run(&mut chip, 2000);
    chip.fastest_sck_hz()
}

#[test]
fn sck_is_at_most_half_of_clk_peri_where_an_spi_is_on_and_of_clk_sys_where_pio_makes_it() {
    for (clk_peri, sspcr1, fastest_hz) in [
        (ENABLE, SSE, 62_500_000),
        (ENABLE | FROM_CRYSTAL, SSE, 6_000_000),
        (ENABLE | FROM_CRYSTAL, 0, 62_500_000),
    ] {
        assert_eq!(fastest_sck_hz(clk_peri, sspcr1), fastest_hz, "{clk_peri:#x}, {sspcr1}");
    }
}
