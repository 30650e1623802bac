//! Reads and writes of registers and memories: what is stored, what is worked out at the moment of reading, and what a write
//! sets off.

use crate::chips::{AddressLock, is_set};
use crate::map::{Common, Kind, Place, Register, Side, SocketRegister, byte_of};
use crate::{Duplex, LinkPartner, Speed};

use super::interrupts::CLOCK_SELECT;
use super::phy::Mode;
use super::reset::SOFTWARE_RESET;
use super::{Core, WarningKind};

/// What opens PHYLCKR and CHPLCKR.
const PHY_KEY: u8 = 0x53;
const CHIP_KEY: u8 = 0xCE;

impl Core {
    /// What stands at a place now.
    pub(crate) fn read(&self, place: Place) -> u8 {
        match place {
            Place::Common(Register { kind: Kind::WriteOnly, .. }, _)
            | Place::Socket(_, Register { kind: Kind::WriteOnly, .. }, _) => 0,
            Place::Common(register, index) => {
                byte_of(self.common_value(register.field), register.bytes, index)
            }
            Place::Socket(n, register, index) => {
                byte_of(self.socket_value(n, register.field), register.bytes, index)
            }
            Place::Memory(..) | Place::SocketMemory(..) => match self.run_at(place) {
                Some((side, index, _)) => self.buffers.memory(side)[index],
                None => 0,
            },
            Place::None => 0,
        }
    }

    /// A byte is written to a place.
    pub(crate) fn write(&mut self, place: Place, value: u8) {
        match place {
            Place::Common(register, index) => self.write_common(register, index, value),
            Place::Socket(n, register, index) => self.write_socket(n, register, index, value),
            Place::Memory(..) | Place::SocketMemory(..) => {
                if let Some((side, index, _)) = self.run_at(place) {
                    self.buffers.memory_mut(side)[index] = value;
                }
                return;
            }
            Place::None => return,
        }
        self.settle();
    }

    /// Where a place in a memory is, and how many bytes follow without a break.
    pub(crate) fn run_at(&self, place: Place) -> Option<(Side, usize, usize)> {
        let (side, (index, bytes)) = match place {
            Place::Memory(side, offset) => (side, self.buffers.whole(side, offset)),
            Place::SocketMemory(side, n, offset) => (side, self.buffers.part(side, n, offset)?),
            _ => return None,
        };
        Some((side, index, bytes))
    }

    pub(crate) fn memory(&self, side: Side) -> &[u8] {
        self.buffers.memory(side)
    }

    pub(crate) fn memory_mut(&mut self, side: Side) -> &mut [u8] {
        self.buffers.memory_mut(side)
    }

    fn common_value(&self, field: Common) -> u128 {
        let short = match field {
            Common::Ir => u64::from(self.interrupt_register()),
            Common::Sir => u64::from(self.socket_interrupts()),
            Common::Phycfgr => self.common.get(field) & !0b111 | self.link_bits(),
            Common::Phystatus => u64::from(self.phy.link().is_some()) << 5,
            Common::Physr => self.phy_status(),
            Common::Tcntr => ((self.now - self.tick_base).ps() / super::neighbours::RETRY_UNIT_PS) as u64,
            Common::Sysr => self.system_status(),
            _ => return self.common.whole(field),
        };
        short.into()
    }

    /// SYSR of the W6100: which locks are shut, and that the host speaks SPI.
    fn system_status(&self) -> u64 {
        const BY_SPI: u64 = 0x01;
        let locks = [(Common::Sycr0, 0x80), (Common::Shar, 0x40), (Common::Phycr0, 0x20)];
        let shut = locks.into_iter().filter(|&(field, _)| self.is_locked(field));
        shut.map(|(_, bit)| bit).sum::<u64>() | BY_SPI
    }

    fn socket_value(&self, n: usize, field: SocketRegister) -> u128 {
        let socket = &self.sockets[n];
        let short = match field {
            SocketRegister::Sr => u64::from(self.shown_status(n)),
            SocketRegister::Cr => socket.command.map_or(0, |command| u64::from(command.code)),
            SocketRegister::TxFsr => u64::from(socket.free_bytes(self.buffers.span(Side::Transmit, n).size)),
            SocketRegister::TxRd => u64::from(socket.pointers.tx_read),
            // What was written shows with SEND (github.com/PeterBorisenko/w5500-lwip-freertos, issue 4); Arduino's library
            // for W5100, W5200 and W5500 counts on it where it puts a datagram together.
            SocketRegister::TxWr => u64::from(socket.pointers.tx_boundary),
            SocketRegister::RxRsr => u64::from(socket.received_bytes()),
            SocketRegister::RxWr => u64::from(socket.pointers.rx_write),
            SocketRegister::Mssr => match socket.connection.mss() {
                Some(negotiated) => u64::from(negotiated),
                None => socket.registers.get(field),
            },
            SocketRegister::RxbufSize if self.map().has(Common::Rmsr) => self.kibibytes(Side::Receive, n),
            SocketRegister::TxbufSize if self.map().has(Common::Tmsr) => self.kibibytes(Side::Transmit, n),
            _ => return socket.registers.whole(field),
        };
        short.into()
    }

    fn kibibytes(&self, side: Side, n: usize) -> u64 {
        u64::from(self.buffers.span(side, n).size / 1024)
    }

    /// PHYCFGR bits 2 to 0: duplex, speed, link (W5500 datasheet, PHYCFGR).
    fn link_bits(&self) -> u64 {
        self.phy.link().map_or(0, |LinkPartner { speed, duplex }| {
            u64::from(duplex == Duplex::Full) << 2 | u64::from(speed == Speed::Mbps100) << 1 | 1
        })
    }

    /// PHYSR0 (W5100S datasheet), PHYSR of the W6100: cable off, the mode as in PHYCR0, then half duplex, 10 Mbit/s, link.
    fn phy_status(&self) -> u64 {
        let mode = match self.phy.mode() {
            Mode::Fixed(Speed::Mbps100, Duplex::Full) => 0b100,
            Mode::Fixed(Speed::Mbps100, Duplex::Half) => 0b101,
            Mode::Fixed(Speed::Mbps10, Duplex::Full) => 0b110,
            Mode::Fixed(Speed::Mbps10, Duplex::Half) => 0b111,
            Mode::Automatic | Mode::AutomaticHalf | Mode::PowerDown => 0b000,
        };
        let link = self.phy.link().map_or(0, |LinkPartner { speed, duplex }| {
            u64::from(duplex == Duplex::Half) << 2 | u64::from(speed == Speed::Mbps10) << 1 | 1
        });
        u64::from(self.phy.cable().is_none()) << 7 | mode << 3 | link
    }

    fn write_common(&mut self, register: &Register<Common>, index: u8, value: u8) {
        if register.kind == Kind::ReadOnly {
            let clears = match register.field {
                Common::Ir => self.map().common.name_of(Common::Irclr),
                Common::Slir => self.map().common.name_of(Common::Slirclr),
                _ => None,
            };
            return self.tell_of_read_only(register.name, clears);
        }
        if self.is_locked(register.field) {
            return self.tell_of_lock(register);
        }
        if register.kind == Kind::ClearByOne {
            return self.clear_alarms(register.field, value);
        }
        let before = self.common.u8(register.field);
        self.common.replace_byte(register.field, register.bytes, index, value);
        match register.field {
            Common::Mr => self.mode_written(value),
            Common::Mr2 | Common::Netmr => self.heed_wake_on_lan(),
            Common::Irclr => self.clear_alarms(Common::Ir, value),
            Common::Slirclr => self.clear_alarms(Common::Slir, value),
            Common::Sycr0 if value & SOFTWARE_RESET == 0 => self.software_reset(),
            Common::Sycr1 => self.keep_clock(before, value),
            Common::Rmsr | Common::Tmsr => self.split_buffers(),
            Common::Phycfgr => self.phy_configured(before, value),
            Common::Phycr0 | Common::Phycr1 => self.phy_controlled(),
            Common::Phyacr => self.access_mdio(value),
            Common::Slcr => self.begin_errand(value),
            Common::Tcntclr => self.tick_base = self.now,
            _ => {}
        }
    }

    fn clear_alarms(&mut self, register: Common, ones: u8) {
        let before = self.common.u8(register);
        self.common.set(register, u64::from(before & !ones));
        if before & ones != 0 {
            self.begin_interrupt_wait();
        }
    }

    /// The locks of W5100S and W6100; on the other chips what they lock is absent, or there is no lock. PHY and chip are free
    /// with their key only; GA6R has no lock (ioLibrary, w6100.h, SYSR_NETL).
    fn is_locked(&self, field: Common) -> bool {
        match field {
            Common::Gar
            | Common::Subr
            | Common::Shar
            | Common::Sipr
            | Common::Llar
            | Common::Guar
            | Common::Sub6r => match self.facts.address_lock {
                Some(AddressLock::ShutBy(key)) => self.common.u8(Common::Netlckr) == key,
                Some(AddressLock::OpenedBy(key)) => self.common.u8(Common::Netlckr) != key,
                None => false,
            },
            Common::Phycr0 | Common::Phycr1 => self.common.u8(Common::Phylckr) != PHY_KEY,
            Common::Sycr0 => self.common.u8(Common::Chplckr) != CHIP_KEY,
            _ => false,
        }
    }

    /// Whoever comes from a chip whose IR and Sn_IR are cleared in place writes them here as well, and waits for ever.
    fn tell_of_read_only(&mut self, name: &str, clears: Option<&str>) {
        self.warnings.tell(self.now, WarningKind::ReadOnlyWritten, || {
            let instead = clears.map_or(String::new(), |other| format!("; {other} clears it"));
            format!("{name} was written but is read only on this chip: the write is lost{instead}")
        });
    }

    fn tell_of_lock(&mut self, register: &Register<Common>) {
        let (lock, key) = match (register.field, self.facts.address_lock) {
            (Common::Phycr0 | Common::Phycr1, _) => ("PHYLCKR", PHY_KEY),
            (Common::Sycr0, _) => ("CHPLCKR", CHIP_KEY),
            (_, Some(AddressLock::ShutBy(key))) => return self.tell_of_shut(register.name, key),
            (_, Some(AddressLock::OpenedBy(key))) => ("NETLCKR", key),
            (_, None) => return,
        };
        let name = register.name;
        self.warnings.tell(self.now, WarningKind::Locked, || {
            format!("{name} was written while {lock} has it locked: the write is lost; write 0x{key:02X} to {lock} before")
        });
    }

    /// The value that opens the W6100's lock shuts that of the W5100S.
    fn tell_of_shut(&mut self, name: &str, key: u8) {
        self.warnings.tell(self.now, WarningKind::Locked, || {
            let other = !key;
            format!(
                "{name} was written while NETLCKR holds 0x{key:02X}, which locks it on this chip: the write is lost; \
                 write another value, such as 0x{other:02X}, before"
            )
        });
    }

    /// SYCR1.CLKSEL has the lock of SYCR0; SYCR1.IEN has none.
    fn keep_clock(&mut self, before: u8, value: u8) {
        if self.is_locked(Common::Sycr0) {
            let kept = value & !CLOCK_SELECT | before & CLOCK_SELECT;
            self.common.set(Common::Sycr1, kept.into());
        }
    }

    fn mode_written(&mut self, value: u8) {
        const INDIRECT: u8 = 0x01;
        if value & SOFTWARE_RESET != 0 {
            return self.software_reset();
        }
        self.heed_wake_on_lan();
        if value & INDIRECT != 0 && self.facts.has_indirect_bus {
            self.warnings.tell(self.now, WarningKind::IndirectBusOmitted, || {
                "MR selects the indirect bus, which is left out; SPI goes on as before".to_owned()
            });
        }
    }

    fn heed_wake_on_lan(&mut self) {
        if self.facts.wake_on_lan.iter().any(|&flag| is_set(Some(flag), &self.common)) {
            self.warnings.tell(self.now, WarningKind::WakeOnLanOmitted, || {
                "Wake-on-LAN is left out of this model".to_owned()
            });
        }
    }

    /// PHYCFGR: RST low holds the PHY in reset; the mode counts from the end of that.
    fn phy_configured(&mut self, before: u8, value: u8) {
        const NOT_IN_RESET: u8 = 0x80;
        const BY_REGISTER: u8 = 0x40;
        let was_held = before & NOT_IN_RESET == 0;
        let held = value & NOT_IN_RESET == 0;
        if held {
            self.phy.hold_in_reset(self.now, true);
        } else if was_held {
            let mode = if value & BY_REGISTER == 0 { Mode::Automatic } else { mode_of(value >> 3 & 0b111) };
            self.phy.set_mode(self.now, mode);
            self.phy.hold_in_reset(self.now, false);
        }
    }

    /// PHYCR0 and PHYCR1 (W5100S datasheet; ioLibrary, w6100.h). On the W6100 PHYCR1.RST, which clears itself, has the PHY look
    /// at PHYCR0.
    fn phy_controlled(&mut self) {
        const POWER_DOWN: u8 = 0x20;
        const RESET: u8 = 0x01;
        let control = self.common.u8(Common::Phycr1);
        if self.facts.phy_mode_waits_for_reset {
            self.common.set(Common::Phycr1, (control & !RESET).into());
            let was_down = self.phy.mode() == Mode::PowerDown;
            let stays = was_down == (control & POWER_DOWN != 0);
            if control & RESET == 0 && stays {
                return;
            }
        }
        let mode = match self.common.u8(Common::Phycr0) & 0b111 {
            _ if control & POWER_DOWN != 0 => Mode::PowerDown,
            0b100 => Mode::Fixed(Speed::Mbps100, Duplex::Full),
            0b101 => Mode::Fixed(Speed::Mbps100, Duplex::Half),
            0b110 => Mode::Fixed(Speed::Mbps10, Duplex::Full),
            0b111 => Mode::Fixed(Speed::Mbps10, Duplex::Half),
            _ => Mode::Automatic,
        };
        self.phy.set_mode(self.now, mode);
    }

    fn write_socket(&mut self, n: usize, register: &Register<SocketRegister>, index: u8, value: u8) {
        if register.kind == Kind::ReadOnly {
            let is_interrupt = register.field == SocketRegister::Ir;
            let clears = self.map().socket_name(SocketRegister::Irclr).filter(|_| is_interrupt);
            return self.tell_of_read_only(&format!("{} of socket {n}", register.name), clears);
        }
        let registers = &mut self.sockets[n].registers;
        match register.field {
            SocketRegister::Cr => self.give_command(n, value),
            SocketRegister::Ir | SocketRegister::Irclr => {
                let before = registers.u8(SocketRegister::Ir);
                registers.set(SocketRegister::Ir, u64::from(before & !value));
                if before & value != 0 {
                    self.begin_interrupt_wait();
                }
            }
            SocketRegister::RxbufSize | SocketRegister::TxbufSize => {
                registers.replace_byte(register.field, register.bytes, index, value);
                self.size_written(n, register.field, value);
            }
            field => registers.replace_byte(field, register.bytes, index, value),
        }
    }

    /// On the W5100S the sizes stand in RMSR and TMSR as well.
    fn size_written(&mut self, n: usize, field: SocketRegister, kibibytes: u8) {
        let all = if field == SocketRegister::RxbufSize { Common::Rmsr } else { Common::Tmsr };
        if self.map().has(all) {
            let shift = 2 * n as u32;
            let code = u64::from(kibibytes.checked_ilog2().unwrap_or(0).min(3));
            let others = self.common.get(all) & !(0b11 << shift);
            self.common.set(all, others | code << shift);
        }
        self.split_buffers();
    }
}

/// PHYCFGR.OPMDC.
fn mode_of(code: u8) -> Mode {
    match code {
        0b000 => Mode::Fixed(Speed::Mbps10, Duplex::Half),
        0b001 => Mode::Fixed(Speed::Mbps10, Duplex::Full),
        0b010 => Mode::Fixed(Speed::Mbps100, Duplex::Half),
        0b011 => Mode::Fixed(Speed::Mbps100, Duplex::Full),
        0b100 => Mode::AutomaticHalf,
        0b110 => Mode::PowerDown,
        _ => Mode::Automatic,
    }
}
