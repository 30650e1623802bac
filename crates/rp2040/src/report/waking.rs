//! What could still wake a core where nothing in the chip itself ever will: an image at its prompt is not hung.

use crate::chip::Rp2040;
use crate::lines::Irq;
use mcu::Sleep;

/// UARTIMSC of both UARTs, and the interrupts of characters that came: RXIM and RTIM (RP2040 datasheet 4.2.8).
const UARTIMSC: [(u32, Irq); 2] = [(0x4003_4038, Irq::UART0), (0x4003_8038, Irq::UART1)];
const RECEIVES: u32 = 1 << 4 | 1 << 6;
/// PROC0_INTE0, of four; those of core 1 are so much further on (RP2040 datasheet 2.19.6.1).
const PROC0_INTE0: u32 = 0x4001_4100;
const PROC_STRIDE: u32 = 0x30;
const INTE_REGISTERS: u32 = 4;
/// SIE_CTRL, PULLUP_EN: the PC sees a device (RP2040 datasheet 4.1.4).
const SIE_CTRL: u32 = 0x5011_004c;
const PULLUP_EN: u32 = 1 << 16;

/// What could come from outside and wake a core that sleeps.
pub fn wakes_from_outside(chip: &Rp2040) -> Vec<String> {
    if chip.clock_tree().is_dormant() {
        return vec!["a pin wakes its oscillator".to_owned()];
    }
    let sleeping = (0..2).filter(|&id| matches!(chip.core(id).sleep(), Sleep::Interrupt | Sleep::Event));
    let mut wakes: Vec<String> = sleeping.flat_map(|id| wakes_of(chip, id)).collect();
    wakes.dedup();
    wakes
}

fn wakes_of(chip: &Rp2040, core: usize) -> Vec<String> {
    let enabled = |irq: Irq| chip.enabled_irqs(core) >> irq.0 & 1 == 1;
    let register = |address: u32| chip.read_word(address).unwrap_or(0);
    let uarts = UARTIMSC
        .into_iter()
        .enumerate()
        .filter(|&(_, (imsc, irq))| enabled(irq) && register(imsc) & RECEIVES != 0);
    let mut wakes: Vec<String> = uarts.map(|(port, _)| format!("uart{port} receives")).collect();
    if enabled(Irq::USBCTRL) && register(SIE_CTRL) & PULLUP_EN != 0 {
        wakes.push("the PC at the USB port speaks".to_owned());
    }
    let pins = PROC0_INTE0 + PROC_STRIDE * core as u32;
    if enabled(Irq::IO_BANK0) && (0..INTE_REGISTERS).any(|n| register(pins + 4 * n) != 0) {
        wakes.push("a pin changes".to_owned());
    }
    wakes
}
