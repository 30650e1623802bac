//! The block as a target (RP2040 datasheet 4.3.10.1): it listens at the pins for its address, takes bytes into the receive FIFO
//! and sends those of the transmit FIFO. While software has nothing to send, it holds SCL low.

use super::open_drain::{Change, RELEASED};
use super::registers::*;
use super::{DEPTH, I2c, TARGET_SOURCE};
use crate::io::Io;

/// The least time from SCL's fall until a target moves SDA, in cycles (RP2040 datasheet 4.3.17, IC_SDA_HOLD).
const LEAST_HOLD: u32 = 7;
/// The bits of a first byte that announce an address of ten bits.
const TEN_BITS: u8 = 0xf0;

/// What the bits on the bus are to this block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// Until the next start, nobody here is meant.
    #[default]
    Idle,
    Address,
    /// The second byte of an address of ten bits.
    SecondAddress,
    /// Data from the controller.
    Data,
    /// A received byte waits for room; SCL is low.
    AwaitsRoom,
    /// SDA is low for a clock.
    Acknowledges(After),
    /// Software has nothing to send yet; SCL is low.
    AwaitsData,
    Sends,
    /// The controller says whether it wants another byte.
    AwaitsAcknowledge {
        acknowledged: bool,
    },
}

/// What follows an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum After {
    SecondAddress,
    Data,
    Sends,
}

/// The target's side of the bus.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Target {
    phase: Phase,
    byte: u8,
    bits: u8,
    /// The address of this transfer is the block's own; a general call is not.
    addressed: bool,
    /// The next byte that is received is the first after an address.
    first: bool,
    /// A byte was received in this transfer.
    received: bool,
    /// What the appointment brings: another level of SDA, and the end of SCL's being held.
    sda: Option<bool>,
    lets_clock_rise: bool,
}

impl Target {
    pub(super) fn is_addressed(&self) -> bool {
        self.addressed
    }

    pub(super) fn is_active(&self) -> bool {
        self.phase != Phase::Idle
    }

    fn await_bits(&mut self, phase: Phase) {
        (self.phase, self.byte, self.bits) = (phase, 0, 0);
    }
}

impl I2c {
    pub(super) fn is_target(&self) -> bool {
        self.is_enabled() && self.con & CON_SLAVE_DISABLE == 0
    }

    /// A line moved.
    pub(super) fn target_notices(&mut self, change: Change, io: &mut Io) {
        if !self.is_target() {
            return;
        }
        match change {
            Change::Start => {
                if self.target.addressed {
                    self.sticky |= INT_RESTART_DET;
                }
                self.target_lets_go(io);
                self.target.await_bits(Phase::Address);
            }
            Change::Stop => {
                self.target_lets_go(io);
                self.target = Target::default();
            }
            Change::ClockRises => self.target_hears(io),
            Change::ClockFalls => self.target_goes_on(io),
        }
    }

    fn target_lets_go(&mut self, io: &mut Io) {
        (self.target.sda, self.target.lets_clock_rise) = (None, false);
        io.cancel(TARGET_SOURCE[self.index()]);
        self.lines.target = RELEASED;
        self.pull(io);
    }

    fn target_hears(&mut self, io: &Io) {
        let sda = self.levels(io).sda;
        let target = &mut self.target;
        match &mut target.phase {
            Phase::Address | Phase::SecondAddress | Phase::Data => {
                target.byte = target.byte << 1 | u8::from(sda);
                target.bits += 1;
            }
            Phase::Sends => {
                target.bits += 1;
                if self.lines.target.sda && !sda {
                    target.phase = Phase::Idle;
                    self.flush(ABRT_ARB_LOST | ABRT_SLV_ARBLOST);
                }
            }
            Phase::AwaitsAcknowledge { acknowledged } => {
                *acknowledged = !sda;
                if sda {
                    self.sticky |= INT_RX_DONE;
                }
            }
            Phase::Idle | Phase::AwaitsRoom | Phase::Acknowledges(_) | Phase::AwaitsData => {}
        }
    }

    fn target_goes_on(&mut self, io: &mut Io) {
        let whole = self.target.bits == 8;
        match self.target.phase {
            Phase::Address if whole => self.judge_address(io),
            Phase::SecondAddress if whole => self.judge_second_address(io),
            Phase::Data if whole => self.take_byte(io),
            Phase::Acknowledges(after) => {
                self.sda_after_hold(true, io);
                match after {
                    After::SecondAddress => self.target.await_bits(Phase::SecondAddress),
                    After::Data => self.target.await_bits(Phase::Data),
                    After::Sends => self.begin_to_send(io),
                }
            }
            Phase::Sends if whole => {
                self.sda_after_hold(true, io);
                self.target.phase = Phase::AwaitsAcknowledge { acknowledged: false };
            }
            Phase::Sends => self.sda_after_hold(self.bit_to_send(), io),
            Phase::AwaitsAcknowledge { acknowledged: true } => self.send_next(io),
            Phase::AwaitsAcknowledge { acknowledged: false } => self.target.phase = Phase::Idle,
            Phase::Idle | Phase::Address | Phase::SecondAddress | Phase::Data => {}
            Phase::AwaitsRoom | Phase::AwaitsData => {}
        }
    }

    fn judge_address(&mut self, io: &mut Io) {
        let (byte, before) = (self.target.byte, self.target.addressed);
        let (address, read) = (byte >> 1, byte & 1 == 1);
        let ten_bits = self.con & CON_10BITADDR_SLAVE != 0;
        self.target.addressed = false;
        if byte == 0 {
            if self.ack_general_call & 1 == 0 {
                return self.target.phase = Phase::Idle;
            }
            self.sticky |= INT_GEN_CALL;
            self.acknowledge(After::Data, io);
        } else if ten_bits && address == (TEN_BITS >> 1 | (self.sar >> 8) as u8 & 3) {
            // To be read, it was called with all ten bits before, and then with a repeated start.
            match read {
                true if before => self.meant(After::Sends, io),
                true => self.target.phase = Phase::Idle,
                false => self.acknowledge(After::SecondAddress, io),
            }
        } else if !ten_bits && u32::from(address) == self.sar & 0x7f {
            self.meant(if read { After::Sends } else { After::Data }, io);
        } else {
            self.target.phase = Phase::Idle;
        }
    }

    fn judge_second_address(&mut self, io: &mut Io) {
        if u32::from(self.target.byte) == self.sar & 0xff {
            self.meant(After::Data, io);
        } else {
            self.target.phase = Phase::Idle;
        }
    }

    fn meant(&mut self, after: After, io: &mut Io) {
        self.target.addressed = true;
        self.acknowledge(after, io);
    }

    fn acknowledge(&mut self, after: After, io: &mut Io) {
        self.target.first |= !matches!(self.target.phase, Phase::Data);
        self.target.phase = Phase::Acknowledges(after);
        self.sda_after_hold(false, io);
    }

    /// A byte of data is whole.
    fn take_byte(&mut self, io: &mut Io) {
        self.target.received = true;
        if self.slv_data_nack_only & 1 != 0 {
            self.target.phase = Phase::Idle;
        } else if self.rx.len() >= DEPTH && self.con & CON_RX_FIFO_FULL_HLD_CTRL != 0 {
            self.target.phase = Phase::AwaitsRoom;
            self.hold_clock(io);
        } else {
            // One that is lost for want of room is acknowledged as well.
            self.receive_as_target();
            self.acknowledge(After::Data, io);
        }
    }

    fn receive_as_target(&mut self) {
        let first = std::mem::take(&mut self.target.first);
        self.receive(self.target.byte, first);
    }

    /// The controller reads from here on: what was left to send is old.
    fn begin_to_send(&mut self, io: &mut Io) {
        if !self.tx.is_empty() {
            self.flush(ABRT_SLVFLUSH_TXFIFO);
        }
        self.send_next(io);
    }

    fn send_next(&mut self, io: &mut Io) {
        if self.tx.is_empty() {
            self.target.phase = Phase::AwaitsData;
            self.sticky |= INT_RD_REQ;
            self.hold_clock(io);
        } else if self.load() {
            self.sda_after_hold(self.bit_to_send(), io);
        }
    }

    /// Takes a word to send; false where software meant to read, which a target cannot.
    fn load(&mut self) -> bool {
        let Some(word) = self.tx.pop_front() else { return false };
        if word & CMD_READ != 0 {
            self.target.phase = Phase::Idle;
            self.flush(ABRT_SLVRD_INTX);
            return false;
        }
        self.target.await_bits(Phase::Sends);
        self.target.byte = word as u8;
        true
    }

    fn bit_to_send(&self) -> bool {
        self.target.byte >> (7 - self.target.bits.min(7)) & 1 == 1
    }

    /// Software wrote a word or read one: what the bus waits for may be there.
    pub(super) fn serve_target(&mut self, io: &mut Io) {
        match self.target.phase {
            Phase::AwaitsData if !self.tx.is_empty() => {
                let level = !self.load() || self.bit_to_send();
                self.let_clock_rise(level, io);
            }
            Phase::AwaitsRoom if self.rx.len() < DEPTH => {
                self.receive_as_target();
                self.target.phase = Phase::Acknowledges(After::Data);
                self.let_clock_rise(false, io);
            }
            _ => {}
        }
    }

    fn hold_clock(&mut self, io: &mut Io) {
        self.lines.target.scl = false;
        self.pull(io);
    }

    /// SDA takes a level at once, and SCL may rise when that has stood for long enough (IC_SDA_SETUP).
    fn let_clock_rise(&mut self, sda: bool, io: &mut Io) {
        self.lines.target.sda = sda;
        self.pull(io);
        (self.target.sda, self.target.lets_clock_rise) = (None, true);
        self.target_wakes_after(self.sda_setup.max(2), io);
    }

    fn sda_after_hold(&mut self, level: bool, io: &mut Io) {
        self.target.sda = Some(level);
        self.target_wakes_after((self.sda_hold & 0xffff).max(LEAST_HOLD), io);
    }

    fn target_wakes_after(&mut self, cycles: u32, io: &mut Io) {
        io.wake_after(TARGET_SOURCE[self.index()], io.clocks.sys_hz, u64::from(cycles));
    }

    /// The appointment of the target has come.
    pub(super) fn target_wakes(&mut self, io: &mut Io) {
        if let Some(level) = self.target.sda.take() {
            self.lines.target.sda = level;
        }
        if std::mem::take(&mut self.target.lets_clock_rise) {
            self.lines.target.scl = true;
        }
        self.pull(io);
    }

    /// The block is switched off, in the midst of a transfer or not (IC_ENABLE_STATUS).
    pub(super) fn disable_target(&mut self, io: &mut Io) {
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        self.disabled = flag(self.target.is_active(), ENABLE_STATUS_SLV_DISABLED_WHILE_BUSY)
            | flag(self.target.received, ENABLE_STATUS_SLV_RX_DATA_LOST);
        self.target_lets_go(io);
        self.target = Target::default();
    }
}
