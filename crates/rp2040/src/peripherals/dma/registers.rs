//! The registers of the DMA controller (RP2040 datasheet 2.5.7): four aliases of each channel, interrupts, timers, sniffer
//! and debug. Reading has no effects.

use super::channel::{Channel, DATA_SIZE_RESERVED, IRQ_QUIET, SNIFF_EN, TREQ_TIMER0};
use super::lane::Lane;
use super::pacing::PacingTimer;
use super::{CHANNEL_COUNT, Dma, PERMANENT, TIMER_COUNT};
use crate::bus::block::Block;
use crate::io::Io;
use crate::peripherals::Peripheral;

const CHANNELS_END: u32 = 0x300;
const INTR: u32 = 0x400;
const INTE0: u32 = 0x404;
const INTF0: u32 = 0x408;
const INTS0: u32 = 0x40c;
const INTE1: u32 = 0x414;
const INTF1: u32 = 0x418;
const INTS1: u32 = 0x41c;
const TIMER0: u32 = 0x420;
const TIMER3: u32 = 0x42c;
const MULTI_CHAN_TRIGGER: u32 = 0x430;
const SNIFF_CTRL: u32 = 0x434;
const SNIFF_DATA: u32 = 0x438;
const FIFO_LEVELS: u32 = 0x440;
const CHAN_ABORT: u32 = 0x444;
const N_CHANNELS: u32 = 0x448;
const DEBUG: u32 = 0x800;
const DEBUG_END: u32 = 0xb00;
/// Within the debug registers of a channel.
const DBG_CTDREQ: u32 = 0x0;
const DBG_TCR: u32 = 0x4;
/// Channels are 0x40 apart.
const CHANNEL_SHIFT: u32 = 6;
/// All channels, a bit each.
const CHANNELS: u16 = (1 << CHANNEL_COUNT) - 1;
/// INTE and INTF have 16 bits, for as many channels as the design can have.
const INTERRUPT_BITS: u32 = 0xffff;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Register {
    ReadAddress,
    WriteAddress,
    TransferCount,
    Control,
}

/// The four orders of a channel's registers; the last of each is a trigger (RP2040 datasheet 2.5.2.1).
const ALIASES: [[Register; 4]; 4] = {
    use Register::{Control, ReadAddress, TransferCount, WriteAddress};
    [
        [ReadAddress, WriteAddress, TransferCount, Control],
        [Control, ReadAddress, WriteAddress, TransferCount],
        [Control, TransferCount, ReadAddress, WriteAddress],
        [Control, WriteAddress, TransferCount, ReadAddress],
    ]
};

/// The channel and register at an offset, and whether it is a trigger.
fn decode(offset: u32) -> (usize, Register, bool) {
    let (alias, place) = (offset >> 4 & 3, offset >> 2 & 3);
    ((offset >> CHANNEL_SHIFT) as usize, ALIASES[alias as usize][place as usize], place == 3)
}

/// The channel and offset of a debug register.
fn decode_debug(offset: u32) -> (usize, u32) {
    (((offset - DEBUG) >> CHANNEL_SHIFT) as usize, offset & 0x3f)
}

impl Peripheral for Dma {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        self.register(offset, io).unwrap_or_else(|| {
            io.unknown("DMA", "no such register", false);
            0
        })
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        self.register(offset, io).unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            0..CHANNELS_END => self.write_channel(offset, value, io),
            INTR | INTS0 | INTS1 => self.raw_interrupts &= !value,
            INTE0 => self.enabled_interrupts[0] = value & INTERRUPT_BITS,
            INTE1 => self.enabled_interrupts[1] = value & INTERRUPT_BITS,
            INTF0 => self.forced_interrupts[0] = value & INTERRUPT_BITS,
            INTF1 => self.forced_interrupts[1] = value & INTERRUPT_BITS,
            TIMER0..=TIMER3 => self.write_timer(((offset - TIMER0) / 4) as usize, value, io),
            MULTI_CHAN_TRIGGER => {
                for index in (0..CHANNEL_COUNT).filter(|index| value >> index & 1 != 0) {
                    self.start(index, io);
                }
            }
            SNIFF_CTRL => {
                if !self.sniffer.write_control(value) {
                    io.unknown("DMA", "SNIFF_CTRL.CALC (reserved value)", true);
                }
            }
            SNIFF_DATA => self.sniffer.set_data(value),
            FIFO_LEVELS | N_CHANNELS => {}
            CHAN_ABORT => self.abort(value, io),
            DEBUG..DEBUG_END => self.write_debug(offset, io),
            _ => io.unknown("DMA", "no such register", true),
        }
        self.show_interrupts(io);
        self.arm(io);
    }
}

impl Dma {
    /// Whether a register shows the same as long as no sequence of transfers ends or begins.
    pub(crate) fn shows_through_flow(&self, offset: u32) -> bool {
        match offset {
            0..CHANNELS_END => decode(offset).1 == Register::Control,
            INTR..=INTS1 => true,
            _ => false,
        }
    }

    /// Whether an access to a register has to do with nothing that these many transfers do: with a channel that is idle meanwhile, or with
    /// the sniffer while it sees none of them. One that writes to a trigger has.
    pub(crate) fn is_apart(&self, offset: u32, writes: bool, transfers: u32) -> bool {
        let under_way = || self.under_way(transfers);
        let sniffs = |index: usize| self.channels[index].has(SNIFF_EN);
        match offset {
            0..CHANNELS_END => {
                let (index, _, trigger) = decode(offset);
                !(writes && trigger) && under_way() >> index & 1 == 0
            }
            SNIFF_CTRL | SNIFF_DATA => {
                let under_way = under_way();
                !(0..CHANNEL_COUNT).any(|index| under_way >> index & 1 == 1 && sniffs(index))
            }
            _ => false,
        }
    }

    /// Whether a register shows the same through so many transfers: that of the control of a channel that has more of them to make, within
    /// memory. None of the controller's registers is written, as far as `quiet` transfers go.
    pub(crate) fn shows_busy(
        &self,
        offset: u32,
        transfers: u64,
        (quiet, memory): (u32, std::ops::Range<u32>),
    ) -> bool {
        let (index, register, _) = decode(offset);
        let Some(channel) = self.channels.get(index).filter(|_| offset < CHANNELS_END) else { return false };
        let ends = [true, false].map(|writes| Lane::new(channel, self.transfer(index), writes));
        register == Register::Control
            && channel.is_active()
            && u64::from(channel.remaining) > transfers
            && self.under_way(quiet) != u16::MAX
            && ends.iter().all(|end| end.lies_within(memory.clone()))
    }

    /// The channels that are under way at any time during so many transfers (a bit each): busy ones, and those that start where one
    /// of these ends. All, where one of them writes to registers of this controller.
    fn under_way(&self, transfers: u32) -> u16 {
        let (mut found, mut left) = (self.busy, self.busy);
        while left != 0 {
            let channel = &self.channels[left.trailing_zeros() as usize];
            left &= left - 1;
            if Block::on_ahb(channel.write_address) == Some(Block::Dma) {
                return u16::MAX;
            }
            if !channel.busy || channel.remaining <= transfers {
                let started = 1 << channel.chain_to() & CHANNELS & !found;
                (found, left) = (found | started, left | started);
            }
        }
        found
    }

    fn register(&self, offset: u32, io: &Io) -> Option<u32> {
        Some(match offset {
            0..CHANNELS_END => self.read_channel(offset),
            INTR => self.raw_interrupts,
            INTE0 => self.enabled_interrupts[0],
            INTE1 => self.enabled_interrupts[1],
            INTF0 => self.forced_interrupts[0],
            INTF1 => self.forced_interrupts[1],
            INTS0 => self.interrupts(0),
            INTS1 => self.interrupts(1),
            TIMER0..=TIMER3 => self.timers[((offset - TIMER0) / 4) as usize].register,
            MULTI_CHAN_TRIGGER | FIFO_LEVELS | CHAN_ABORT => 0,
            SNIFF_CTRL => self.sniffer.control,
            SNIFF_DATA => self.sniffer.data(),
            N_CHANNELS => CHANNEL_COUNT as u32,
            DEBUG..DEBUG_END => return self.read_debug(offset, io),
            _ => return None,
        })
    }

    fn read_channel(&self, offset: u32) -> u32 {
        let (index, register, _) = decode(offset);
        let channel = &self.channels[index];
        match register {
            Register::ReadAddress => channel.read_address,
            Register::WriteAddress => channel.write_address,
            Register::TransferCount => channel.remaining,
            Register::Control => channel.read_control(),
        }
    }

    fn write_channel(&mut self, offset: u32, value: u32, io: &mut Io) {
        let (index, register, trigger) = decode(offset);
        let channel = &mut self.channels[index];
        let quiet = channel.has(IRQ_QUIET);
        match register {
            Register::ReadAddress => channel.read_address = value,
            Register::WriteAddress => channel.write_address = value,
            Register::TransferCount => channel.reload = value,
            Register::Control => {
                if Channel::data_size(value) == DATA_SIZE_RESERVED {
                    io.unknown("DMA", "CTRL.DATA_SIZE (reserved value)", true);
                }
                channel.write_control(value);
                self.refresh(index, io);
            }
        }
        match (trigger, value) {
            (true, 0) if quiet => self.raw_interrupts |= 1 << index,
            (true, 0) | (false, _) => {}
            (true, _) => self.start(index, io),
        }
    }

    fn write_timer(&mut self, timer: usize, value: u32, io: &Io) {
        let permanent = |timer: &PacingTimer| timer.is_permanent();
        self.timers[timer].set(value, io.now, io.clocks.sys_hz);
        self.standing = (0..TIMER_COUNT)
            .filter(|&timer| permanent(&self.timers[timer]))
            .fold(PERMANENT, |standing, timer| standing | 1 << (usize::from(TREQ_TIMER0) + timer));
        self.expect_tick();
        for index in 0..CHANNEL_COUNT {
            self.refresh(index, io);
        }
    }

    /// Ends sequences early, without an interrupt and without a chain (RP2040 datasheet 2.5.5.3).
    fn abort(&mut self, channels: u32, io: &Io) {
        for index in (0..CHANNEL_COUNT).filter(|index| channels >> index & 1 != 0) {
            self.channels[index].busy = false;
            self.channels[index].remaining = 0;
            self.refresh(index, io);
        }
    }

    fn read_debug(&self, offset: u32, io: &Io) -> Option<u32> {
        let (index, register) = decode_debug(offset);
        let channel = &self.channels[index];
        match register {
            DBG_CTDREQ => {
                let level = channel.is_active() && self.level(channel.treq, io);
                Some(u32::from(channel.credit.max(level.into())))
            }
            DBG_TCR => Some(channel.reload),
            _ => None,
        }
    }

    fn write_debug(&mut self, offset: u32, io: &mut Io) {
        match decode_debug(offset) {
            (index, DBG_CTDREQ) => {
                self.channels[index].credit = 0;
                self.refresh(index, io);
            }
            (_, DBG_TCR) => {}
            _ => io.unknown("DMA", "no such register", true),
        }
    }
}
