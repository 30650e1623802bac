//! The controller's work on the bus: it takes one command after the other out of the transmit FIFO and makes start,
//! address, data and stop of it. With nobody but the board's devices on the bus a step is spoken in bytes and ends with one
//! event; else it is signalled at the pins (`signals.rs`).

use super::open_drain::is_joined;
use super::registers::*;
use super::scl::{Beat, Scl};
use super::signals::{Signals, Symbol};
use super::wires::{self, Lines, Recorder};
use super::{BLOCK, DEPTH, I2c, SOURCE};
use crate::io::Io;

/// What is under way on the bus; the appointment in the agenda is its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(super) enum Step {
    /// Nothing; the bus may still be held (SCL low) between two commands.
    #[default]
    Rest,
    /// Start or repeated start and the address, for this command.
    Address(u16),
    /// The byte of a command: with its acknowledgement where it is written, without where it is read.
    Data(u16),
    /// The acknowledgement of the byte that was read with this command.
    Acknowledgement { command: u16, acknowledged: bool },
    /// Stop; then this command begins with a start.
    Stop(Option<u16>),
}

/// The controller's side of the bus.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Bus {
    pub(super) step: Step,
    /// Between start and stop.
    pub(super) held: bool,
    /// The address that was last sent, and whether for reading.
    pub(super) addressed: (u16, bool),
    /// Whether that was after a repeated start.
    pub(super) repeated: bool,
    /// The target that heard all ten bits of its address since the start; it remembers them.
    ten_bit_target: Option<u16>,
    /// The command of a byte that was read, whose acknowledgement waits for the next command. SCL is held low.
    unanswered: Option<u16>,
    /// Whether the transfer is signalled at the pins.
    pub(super) on_pins: bool,
    pub(super) signals: Signals,
    pub(super) beat: Beat,
    /// The next byte that is read is the first after an address.
    first: bool,
    lines: Lines,
}

impl Bus {
    pub(super) fn is_active(&self) -> bool {
        self.held || self.step != Step::Rest
    }

    /// Whether the command that was taken last is still being carried out.
    pub(super) fn has_command(&self) -> bool {
        !matches!(self.step, Step::Rest | Step::Stop(None))
    }
}

impl I2c {
    pub(super) fn scl(&self) -> Scl {
        if self.con & CON_SPEED == CON_SPEED_STANDARD {
            Scl::new(self.ss_hcnt, self.ss_lcnt, self.fs_spklen)
        } else {
            Scl::new(self.fs_hcnt, self.fs_lcnt, self.fs_spklen)
        }
    }

    fn is_general_call(&self) -> bool {
        self.tar & (TAR_SPECIAL | TAR_GC_OR_START) == TAR_SPECIAL
    }

    fn address(&self) -> u16 {
        if self.is_general_call() {
            return 0;
        }
        let bits = if self.has_ten_bits() { 0x3ff } else { 0x7f };
        self.tar as u16 & bits
    }

    /// Begins a step that lasts some cycles from the end of the one before, or from now.
    fn begin(&mut self, step: Step, cycles: u64, io: &mut Io) {
        if self.bus.on_pins {
            self.signal(step, io);
        } else if self.wake_after_cycles(cycles, io) {
            self.bus.step = step;
        }
    }

    /// Makes an appointment some cycles after the one before, or from now. Without clk_sys no core runs either: there is none,
    /// and the bus stands where it is.
    pub(super) fn wake_after_cycles(&mut self, cycles: u64, io: &mut Io) -> bool {
        let hz = io.clocks.sys_hz;
        if !self.bus.beat.is_of(hz) || self.bus.beat.time() < io.now {
            match Beat::new(io.now, hz) {
                Some(beat) => self.bus.beat = beat,
                None => return false,
            }
        }
        self.bus.beat.advance(cycles);
        io.wake_at(SOURCE[self.index()], self.bus.beat.time());
        true
    }

    /// Takes the next command when the bus rests and there is one.
    pub(super) fn proceed(&mut self, io: &mut Io) {
        if self.bus.step != Step::Rest || self.answers(io) {
            return;
        }
        if self.enable & ENABLE_ABORT != 0 {
            self.abort_by_user(io);
            return;
        }
        let Some(&command) = self.tx.front() else { return };
        let waits_for_room =
            command & CMD_READ != 0 && self.con & CON_RX_FIFO_FULL_HLD_CTRL != 0 && self.rx.len() >= DEPTH;
        if waits_for_room || !self.takes_commands() {
            return;
        }
        if self.con & CON_MASTER_MODE == 0 {
            // A target's words wait for a controller that reads them.
            if !self.is_target() {
                self.flush(ABRT_MASTER_DIS);
            }
            return;
        }
        if !self.bus.held {
            self.bus.on_pins = is_joined(&io.pins, self.port);
            if self.bus.on_pins && !self.is_bus_free(io) {
                return;
            }
        }
        self.tx.pop_front();
        self.take(command, io);
    }

    fn takes_commands(&self) -> bool {
        self.enable & (ENABLE_ENABLE | ENABLE_TX_CMD_BLOCK) == ENABLE_ENABLE
    }

    /// Whether a byte that was read waits for its acknowledgement, or gets it now.
    fn answers(&mut self, io: &mut Io) -> bool {
        let Some(command) = self.bus.unanswered else { return false };
        if let Some(acknowledged) = self.acknowledges(command) {
            self.bus.unanswered = None;
            self.begin(Step::Acknowledgement { command, acknowledged }, self.scl().bit(), io);
        }
        true
    }

    /// Whether a command needs a start or a repeated start of its own.
    fn needs_start(&self, command: u16) -> bool {
        let wanted = (self.address(), command & CMD_READ != 0);
        command & CMD_RESTART != 0 || wanted != self.bus.addressed
    }

    fn take(&mut self, command: u16, io: &mut Io) {
        if !self.bus.held {
            self.send_address(command, false, io);
        } else if !self.needs_start(command) {
            self.begin_data(command, io);
        } else if self.con & CON_RESTART_EN != 0 {
            self.send_address(command, true, io);
        } else {
            self.begin(Step::Stop(Some(command)), self.scl().stop(), io);
        }
    }

    fn begin_data(&mut self, command: u16, io: &mut Io) {
        let bits = if command & CMD_READ != 0 { 8 } else { 9 };
        self.begin(Step::Data(command), bits * self.scl().bit(), io);
    }

    fn send_address(&mut self, command: u16, repeated: bool, io: &mut Io) {
        let (address, read) = (self.address(), command & CMD_READ != 0);
        if self.tar & TAR_SPECIAL != 0 && !self.is_general_call() {
            io.unknown(BLOCK[self.index()], "IC_TAR.GC_OR_START = 1 (start byte)", true);
        }
        if self.is_general_call() && read {
            self.stop_with(ABRT_GCALL_READ, io);
            return;
        }
        if self.has_ten_bits() && read && self.con & CON_RESTART_EN == 0 {
            self.stop_with(ABRT_10B_RD_NORSTRT, io);
            return;
        }
        self.bus.addressed = (address, read);
        self.bus.repeated = repeated;
        self.bus.held = true;
        self.bus.first = true;
        if !self.bus.on_pins {
            self.sticky |= INT_START_DET | INT_ACTIVITY;
        }
        self.begin(Step::Address(command), self.address_cycles(), io);
    }

    pub(super) fn has_ten_bits(&self) -> bool {
        self.con & CON_10BITADDR_MASTER != 0 && !self.is_general_call()
    }

    /// What start and address are made of. A ten-bit address has two bytes. To read, the first is sent again after a repeated
    /// start; a target that has heard both since the start is told no more than that (RP2040 datasheet 4.3.4.2).
    pub(super) fn address_symbols(&self) -> Vec<Symbol> {
        let (address, read) = self.bus.addressed;
        let start = if self.bus.repeated { Symbol::RepeatedStart } else { Symbol::Start };
        if !self.has_ten_bits() {
            return vec![start, Symbol::Write((address << 1) as u8 | u8::from(read))];
        }
        let first = 0xf0 | (address >> 7) as u8 & 6;
        let reading = [Symbol::RepeatedStart, Symbol::Write(first | 1)];
        if read && self.bus.ten_bit_target == Some(address) {
            return reading.into();
        }
        let mut symbols = vec![start, Symbol::Write(first), Symbol::Write(address as u8)];
        if read {
            symbols.extend(reading);
        }
        symbols
    }

    fn address_cycles(&self) -> u64 {
        let scl = self.scl();
        self.address_symbols().into_iter().map(|symbol| scl.cycles(symbol)).sum()
    }

    /// Lets a recorder of the pins see a step that ends now and took some cycles.
    fn record(&mut self, cycles: u64, io: &mut Io, step: impl FnOnce(&mut Recorder)) {
        if !self.bus.on_pins && wires::is_recorded(&io.pins, self.port) {
            step(&mut Recorder {
                scl: self.scl(),
                hold: u64::from(self.sda_hold & 0xffff),
                pins: &mut io.pins,
                lines: &mut self.bus.lines,
                port: self.port,
                beat: self.bus.beat,
                left: cycles,
            });
        }
    }

    fn record_address(&mut self, acknowledged: bool, io: &mut Io) {
        let symbols = self.address_symbols();
        self.record(self.address_cycles(), io, |wires| {
            for symbol in symbols {
                match symbol {
                    Symbol::Start => wires.start(),
                    Symbol::RepeatedStart => wires.repeated_start(),
                    Symbol::Write(byte) => wires.byte(byte, acknowledged),
                    Symbol::Read | Symbol::Acknowledgement(_) | Symbol::Stop => {}
                }
            }
        });
    }

    /// The end of the step that is under way.
    pub(super) fn end_step(&mut self, io: &mut Io) {
        match std::mem::take(&mut self.bus.step) {
            Step::Rest => {}
            Step::Address(command) => self.end_address(command, io),
            Step::Data(command) if command & CMD_READ != 0 => self.end_read(command, io),
            Step::Data(command) => self.end_write(command, io),
            Step::Acknowledgement { command, acknowledged } => {
                self.record(self.scl().bit(), io, |wires| wires.acknowledgement(acknowledged));
                self.end_command(command, io);
            }
            Step::Stop(next) => self.end_stop(next, io),
        }
    }

    fn end_address(&mut self, command: u16, io: &mut Io) {
        let (address, read) = self.bus.addressed;
        let acknowledged = if self.bus.on_pins {
            self.bus.signals.acknowledged()
        } else {
            io.outside.i2c_start(io.now, self.port, address, read)
        };
        self.record_address(acknowledged, io);
        self.bus.ten_bit_target = (acknowledged && self.has_ten_bits()).then_some(address);
        if self.ends_early(io) {
            return;
        }
        if acknowledged {
            self.begin_data(command, io);
        } else {
            self.stop_with(self.why_not_addressed(), io);
        }
    }

    fn why_not_addressed(&self) -> u32 {
        if self.is_general_call() {
            ABRT_GCALL_NOACK
        } else if !self.has_ten_bits() {
            ABRT_7B_ADDR_NOACK
        } else if self.bus.on_pins && self.bus.signals.ended_at_second() {
            ABRT_10ADDR2_NOACK
        } else {
            ABRT_10ADDR1_NOACK
        }
    }

    fn end_write(&mut self, command: u16, io: &mut Io) {
        let acknowledged = if self.bus.on_pins {
            self.bus.signals.acknowledged()
        } else {
            io.outside.i2c_write(io.now, self.port, command as u8)
        };
        self.record(9 * self.scl().bit(), io, |wires| wires.byte(command as u8, acknowledged));
        if acknowledged {
            self.end_command(command, io);
        } else {
            self.stop_with(ABRT_TXDATA_NOACK, io);
        }
    }

    /// Whether a byte that was read with this command is acknowledged: the last one before a stop or a repeated start is not.
    /// Which one that is, the next command says; until it comes nobody knows (RP2040 datasheet, figures 74, 79 and 80).
    fn acknowledges(&self, command: u16) -> Option<bool> {
        if command & CMD_STOP != 0 || self.enable & ENABLE_ABORT != 0 {
            return Some(false);
        }
        let next = self.tx.front().filter(|_| self.takes_commands())?;
        Some(!self.needs_start(*next))
    }

    fn end_read(&mut self, command: u16, io: &mut Io) {
        let byte =
            if self.bus.on_pins { self.bus.signals.byte() } else { io.outside.i2c_read(io.now, self.port) };
        self.record(8 * self.scl().bit(), io, |wires| wires.read_byte(byte));
        let first = std::mem::take(&mut self.bus.first);
        if self.enable & ENABLE_ENABLE != 0 {
            self.receive(byte, first);
        }
        self.bus.unanswered = Some(command);
        self.answers(io);
    }

    /// A byte for the receive FIFO, which is lost when that is full.
    pub(super) fn receive(&mut self, byte: u8, first: bool) {
        if self.rx.len() < DEPTH {
            self.rx.push_back(u16::from(byte) | if first { CMD_FIRST_DATA_BYTE } else { 0 });
        } else {
            self.sticky |= INT_RX_OVER;
        }
    }

    fn end_command(&mut self, command: u16, io: &mut Io) {
        if self.ends_early(io) {
            return;
        }
        if command & CMD_STOP != 0 {
            self.begin(Step::Stop(None), self.scl().stop(), io);
        } else {
            self.proceed(io);
        }
    }

    /// Stops after the byte when the block was disabled or told to abort meanwhile.
    fn ends_early(&mut self, io: &mut Io) -> bool {
        if self.enable & ENABLE_ABORT != 0 {
            self.abort_by_user(io);
            return true;
        }
        if self.enable & ENABLE_ENABLE == 0 {
            self.begin(Step::Stop(None), self.scl().stop(), io);
            return true;
        }
        false
    }

    fn end_stop(&mut self, next: Option<u16>, io: &mut Io) {
        if !self.bus.on_pins {
            io.outside.i2c_stop(io.now, self.port);
        }
        self.record(self.scl().stop(), io, |wires| wires.stop());
        self.bus.held = false;
        self.bus.ten_bit_target = None;
        self.sticky |= INT_STOP_DET;
        // The bus stays free for a while; a start that comes later than that does not wait.
        self.bus.beat.advance(self.scl().free());
        match next {
            Some(command) => self.send_address(command, false, io),
            None => self.proceed(io),
        }
    }

    fn abort_by_user(&mut self, io: &mut Io) {
        self.enable &= !ENABLE_ABORT;
        if self.bus.held {
            self.stop_with(ABRT_USER_ABRT, io);
        }
    }

    /// Ends the transfer for a reason.
    fn stop_with(&mut self, reason: u32, io: &mut Io) {
        self.flush(reason);
        if self.bus.held {
            self.begin(Step::Stop(None), self.scl().stop(), io);
        }
    }

    /// Empties the transmit FIFO, which stays empty until IC_CLR_TX_ABRT is read.
    pub(super) fn flush(&mut self, reason: u32) {
        self.abort_source = reason | (self.tx.len() as u32) << TX_FLUSH_CNT_SHIFT;
        self.sticky |= INT_TX_ABRT;
        self.tx.clear();
    }
}
