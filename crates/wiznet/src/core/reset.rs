//! Power-up, the reset pin, software reset, and the time after which the chip answers.

use units::Picoseconds;

use crate::LinkPartner;
use crate::chips::{Facts, Mode};
use crate::map::{Common, Registers, Side};

use super::buffers::Split;
use super::socket::Socket;
use super::{Core, WarningKind};

/// MR.RST, and SYCR0.RST of the W6100, which resets while it is zero.
pub(super) const SOFTWARE_RESET: u8 = 0x80;

/// Where the chip stands with its reset.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Power {
    low_since: Option<Picoseconds>,
    ready_at: Picoseconds,
    software_reset_until: Option<Picoseconds>,
}

impl Power {
    pub(super) fn on(facts: &Facts) -> Self {
        Self { low_since: None, ready_at: facts.lock_time, software_reset_until: None }
    }
}

impl Core {
    /// The level of the reset pin.
    pub(crate) fn set_reset(&mut self, at: Picoseconds, high: bool) {
        self.advance(at);
        match (self.power.low_since, high) {
            (None, false) => self.begin_reset(),
            (Some(since), true) => self.end_reset(since),
            _ => {}
        }
        self.settle();
    }

    fn begin_reset(&mut self) {
        self.power.low_since = Some(self.now);
        self.reset_registers();
        self.phy.set_mode(self.now, super::phy::Mode::Automatic);
        self.phy.hold_in_reset(self.now, true);
        self.dropped.no_link += self.mac.cut(self.now);
        self.inbox.clear();
    }

    fn end_reset(&mut self, since: Picoseconds) {
        let (model, shortest) = (self.model(), self.facts.shortest_reset);
        if self.now - since < shortest {
            let length = self.now - since;
            self.warnings.tell(self.now, WarningKind::ResetTooShort, || {
                format!("the reset pin was low for {length}; the {model:?} needs {shortest}")
            });
        }
        self.power.low_since = None;
        self.power.ready_at = self.now + self.facts.lock_time;
        self.phy.hold_in_reset(self.now, false);
    }

    /// Whether SPI reaches the registers; a warning when not.
    pub(crate) fn answers(&mut self) -> bool {
        if self.power.low_since.is_some() {
            self.warnings.tell(self.now, WarningKind::AccessInReset, || {
                "SPI was used while the reset pin was low; the chip does not answer".to_owned()
            });
            return false;
        }
        if self.now < self.power.ready_at {
            let wait = self.facts.lock_time;
            self.warnings.tell(self.now, WarningKind::AccessBeforeReady, || {
                format!("SPI was used before the chip's clock was stable; it answers {wait} after power-up or reset")
            });
            return false;
        }
        true
    }

    /// Whether SPI reaches the registers, without a word.
    pub(crate) fn is_ready(&self) -> bool {
        self.power.low_since.is_none() && self.now >= self.power.ready_at
    }

    /// The driver asked for a reset: all registers are as after power-up, the bit itself a little later.
    pub(super) fn software_reset(&mut self) {
        self.reset_registers();
        self.phy.release(self.now);
        self.show_reset(true);
        self.power.software_reset_until = Some(self.now + self.options.command_time);
    }

    pub(super) fn reset_event(&self) -> Option<Picoseconds> {
        self.power.software_reset_until
    }

    pub(super) fn finish_reset(&mut self) {
        if self.power.software_reset_until.is_some_and(|at| at <= self.now) {
            self.power.software_reset_until = None;
            self.show_reset(false);
        }
    }

    /// The bit of a reset that is under way, or over.
    fn show_reset(&mut self, is_under_way: bool) {
        let is_low_active = self.map().has(Common::Sycr0);
        let register = if is_low_active { Common::Sycr0 } else { Common::Mr };
        let others = self.common.u8(register) & !SOFTWARE_RESET;
        let bit = if is_under_way == is_low_active { 0 } else { SOFTWARE_RESET };
        self.common.set(register, (others | bit).into());
    }

    fn reset_registers(&mut self) {
        let map = self.map();
        self.common = Registers::at_reset(map.common.registers);
        for socket in &mut self.sockets {
            *socket = Socket::at_reset(map);
        }
        self.mac.reset();
        self.errand = None;
        self.power.software_reset_until = None;
        self.interrupt_pin = super::InterruptPin::default();
        self.tick_base = self.now;
        self.split_buffers();
    }

    /// A cable is plugged in, or pulled.
    pub(crate) fn set_cable(&mut self, at: Picoseconds, partner: Option<LinkPartner>) {
        self.advance(at);
        self.phy.set_cable(self.now, partner);
        if self.phy.link().is_none() {
            self.dropped.no_link += self.mac.cut(self.now);
        }
        self.settle();
    }

    pub(crate) fn link(&self) -> Option<LinkPartner> {
        self.phy.link()
    }

    /// Both memories as the size registers have them.
    pub(super) fn split_buffers(&mut self) {
        use crate::map::SocketRegister::{RxbufSize, TxbufSize};
        for (side, own, all) in
            [(Side::Receive, RxbufSize, Common::Rmsr), (Side::Transmit, TxbufSize, Common::Tmsr)]
        {
            let packed = self.map().has(all).then(|| self.common.u8(all));
            let sockets = &self.sockets;
            let sizes = (0..sockets.len()).map(|n| match packed {
                Some(packed) => 1 << (packed >> (2 * n) & 0b11),
                None => sockets[n].registers.u8(own),
            });
            let verdict = self.buffers.split(side, sizes);
            self.splits[side as usize] = verdict;
        }
    }

    /// A socket opens: whether its memory is one that the datasheets allow. Drivers set sizes one by one, so that they may add
    /// up to too much before; and a socket in MACRAW mode may be given everything, as no other is to be opened.
    pub(super) fn judge_sizes(&mut self, n: usize) {
        if self.facts.mode(self.sockets[n].mode()) == Some(Mode::MacRaw) {
            return;
        }
        for verdict in self.splits {
            match verdict {
                Split::Legal => {}
                Split::OddSize => self.warnings.tell(self.now, WarningKind::OddBufferSize, || {
                    "a buffer size is none that the datasheet knows; the socket has no memory".to_owned()
                }),
                Split::Overfull => self.warnings.tell(self.now, WarningKind::BuffersOverfull, || {
                    "the buffer sizes add up to more than there is; the last sockets have no memory"
                        .to_owned()
                }),
            }
        }
    }
}
