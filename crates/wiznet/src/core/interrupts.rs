//! The interrupt output: which bits stand, which are masked, and how long it stays high between two on the chips with
//! INTLEVEL.

use units::Picoseconds;

use crate::chips::is_set;
use crate::map::{Common, SocketRegister};

use super::Core;

/// SYCR1.CLKSEL.
pub(super) const CLOCK_SELECT: u8 = 0x01;

/// The output.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct InterruptPin {
    low: bool,
    /// Not low again before this.
    wait_until: Picoseconds,
}

impl Core {
    pub(crate) fn interrupt_is_low(&self) -> bool {
        self.interrupt_pin.low
    }

    /// A bit for each socket with an interrupt that its own mask lets through.
    pub(super) fn socket_interrupts(&self) -> u8 {
        let masked = self.map().sockets_have(SocketRegister::Imr);
        let mut bits = 0;
        for (n, socket) in self.sockets.iter().enumerate() {
            let mask = if masked { socket.registers.u8(SocketRegister::Imr) } else { 0xFF };
            if socket.registers.u8(SocketRegister::Ir) & mask != 0 {
                bits |= 1 << n;
            }
        }
        bits
    }

    /// IR as it reads: the W5100 and W5100S keep the sockets' bits there too.
    pub(super) fn interrupt_register(&self) -> u8 {
        let own = self.common.u8(Common::Ir);
        if self.map().has(Common::Sir) { own } else { own | self.socket_interrupts() }
    }

    fn interrupt_stands(&self) -> bool {
        let common = &self.common;
        let of_chip = self.interrupt_register() & common.u8(Common::Imr)
            | common.u8(Common::Ir2) & common.u8(Common::Imr2)
            | common.u8(Common::Slir) & common.u8(Common::Slimr);
        let of_sockets = match common.u8(Common::Simr) {
            0 => 0,
            mask => self.socket_interrupts() & mask,
        };
        let enable = self.facts.protocols.switches.interrupt_enable;
        (enable.is_none() || is_set(enable, common)) && (of_chip | of_sockets) != 0
    }

    pub(super) fn update_interrupt_pin(&mut self) {
        self.interrupt_pin.low = self.now >= self.interrupt_pin.wait_until && self.interrupt_stands();
    }

    /// SYCR1.CLKSEL of the W6100 has it run at 25 MHz.
    fn core_clock_hz(&self) -> u64 {
        const SLOW_HZ: u64 = 25_000_000;
        let is_slow = self.common.u8(Common::Sycr1) & CLOCK_SELECT != 0;
        if is_slow { SLOW_HZ } else { self.facts.core_clock_hz }
    }

    pub(super) fn interrupt_event(&self) -> Option<Picoseconds> {
        (self.now < self.interrupt_pin.wait_until && self.interrupt_stands())
            .then_some(self.interrupt_pin.wait_until)
    }

    /// The driver cleared a bit: the next interrupt waits (INTLEVEL + 1) x 4 cycles of the chip's clock, if INTLEVEL is not
    /// zero (W5500 datasheet, INTLEVEL).
    pub(super) fn begin_interrupt_wait(&mut self) {
        let level = self.common.get(Common::Intlevel);
        if level != 0 {
            let wait = (level + 1) * 4 * units::PS_PER_S as u64 / self.core_clock_hz();
            self.interrupt_pin.wait_until = self.now + Picoseconds::new(wait as i64);
        }
    }
}
