//! What follows from an access or an event: interrupt lines reach the cores, pins change, requests reach the DMA, clocks
//! get another frequency, the surroundings react.

use units::Picoseconds;

use crate::bus::Bus;
use crate::contention::Contention;
use crate::io::Io;
use crate::lines::Irq;
use crate::peripherals::Source;
use cortexm::{NMI, SYS_TICK};
use mcu::{Reaction, Stop};

/// Rounds in which pins and surroundings may answer each other at one instant, before that is taken for an oscillation.
const MOST_ROUNDS: u32 = 64;

impl Bus {
    /// An access begins its effect at `cycle`: events that are due before it come first.
    #[inline(always)]
    pub(super) fn begin(&mut self, core: usize, pc: u32, address: u32, cycle: u64) {
        let now = self.clock.time_of(cycle);
        self.spin.access();
        if self.io.next_wake() <= now {
            self.process_before_access(now);
        }
        let io = &mut self.io;
        io.ahead = (io.now - now).max(Picoseconds::ZERO);
        io.now = io.now.max(now);
        (io.core, io.pc, io.address) = (core as u8, pc, address);
        self.note_access(core, address, now);
    }

    /// Events that are due before an access, behind which it is found out once how far the cores may run.
    #[inline(never)]
    fn process_before_access(&mut self, now: Picoseconds) {
        let asked_anew = std::mem::replace(&mut self.asks_anew, true);
        self.process_events(now);
        self.asks_anew = asked_anew;
        if asked_anew {
            return;
        }
        if let Some((end, limit)) = self.farthest.filter(|_| self.nobody_else_moves()) {
            self.io.take_agenda_changed();
            (self.horizon, self.limit, self.has_moved) = (end.min(self.latest_of_patient()), limit, true);
        } else if self.io.take_agenda_changed() {
            self.come_nearer(self.latest_of_patient());
        }
    }

    /// Whether nothing moves but what the cores move themselves: who may wait needs not be found out anew.
    fn nobody_else_moves(&self) -> bool {
        self.blocks.dma.is_at_rest() && !self.may_lead_on()
    }

    /// Keeps what core 0 waits for, where somebody wants to know.
    #[inline]
    pub(super) fn note_access(&mut self, core: usize, address: u32, now: Picoseconds) {
        if let Some(waits) = self.waits.as_mut().filter(|_| core == 0) {
            waits.accesses(address, now, self.io.clocks.sys_hz, self.ppb[0].is_handling());
        }
    }

    /// The cycle of clk_sys that begins now or next.
    pub(crate) fn cycle_now(&self) -> u64 {
        self.clock.cycle_at(self.io.now)
    }

    /// Whether clk_sys stands: no core executes anything.
    #[inline]
    pub(crate) fn stands_still(&self) -> bool {
        self.io.clocks.sys_hz == 0
    }

    /// Whether clk_sys stands and nothing will start it: clocks that come up, the resuscitation and the watchdog have
    /// appointments, and a dormant oscillator is woken by a pin.
    pub(crate) fn stands_for_good(&self) -> bool {
        let planned = [Source::Clocks, Source::Watchdog].iter().any(|&source| self.io.due(source).is_some());
        self.stands_still() && !planned && !self.blocks.clocks.is_dormant()
    }

    /// Lets everything happen that is due up to and including `until`.
    pub(crate) fn process_events(&mut self, until: Picoseconds) {
        while let Some(first) = self.io.first_due(until) {
            if first == Source::Dma && self.move_due_row()
                || self.may_lead_on() && (self.let_outside_come_first(until) || self.lead_on(first, until))
            {
                continue;
            }
            self.let_flow(first, until);
            let Some((at, source)) = self.io.take_due(until) else { return };
            self.io.now = self.io.now.max(at);
            self.flow = None;
            self.wake(source);
            self.settle();
        }
    }

    pub(super) fn wake(&mut self, source: Source) {
        match source {
            Source::SysTick0 => self.tick(0),
            Source::SysTick1 => self.tick(1),
            Source::Dma => {
                self.move_data();
                self.dma_moved_on();
            }
            Source::Typed0 => self.typed_arrived(0),
            Source::Typed1 => self.typed_arrived(1),
            Source::Ssi => {
                crate::peripherals::Peripheral::wake(&mut self.ssi, source, &mut self.io);
                self.flash_settings_changed();
                self.attention = true;
            }
            Source::Flash => self.xip.wake_stream(self.ssi.flash(), &mut self.io),
            Source::Outside => {
                let (outside, reactions) = (&mut self.io.outside, &mut self.io.reactions);
                outside.advance(self.io.now, reactions);
                self.outside_changed();
            }
            Source::Foretold => self.carry_out_foretold(self.io.now),
            Source::Clocks => {
                self.blocks.wake(source, &mut self.io);
                self.look_at_clocks();
            }
            Source::UsbHost => {
                self.blocks.wake(source, &mut self.io);
                self.usb_network_changed();
            }
            _ => self.blocks.wake(source, &mut self.io),
        }
    }

    /// The PC at the USB port may have another link to the chip's network, and frames from it.
    fn usb_network_changed(&mut self) {
        let Io { outside, reactions, now, .. } = &mut self.io;
        if let Some(has_link) = self.blocks.usb.take_network_link() {
            outside.usb_network(*now, has_link, reactions);
        }
        self.blocks.usb.take_network_packets().for_each(|packet| outside.usb_packet(packet));
        while let Some((at, frame)) = self.blocks.usb.take_frame() {
            outside.usb_frame(at, &frame, reactions);
        }
    }

    fn tick(&mut self, core: usize) {
        let cycle = self.cycle_now();
        self.ppb[core].pend(SYS_TICK);
        self.arm_systick(core, cycle);
    }

    pub(super) fn arm_systick(&mut self, core: usize, cycle: u64) {
        let source = if core == 0 { Source::SysTick0 } else { Source::SysTick1 };
        match self.ppb[core].next_tick(cycle) {
            Some(at) => self.io.wake_at(source, self.clock.time_of(at)),
            None => self.io.cancel(source),
        }
    }

    /// The watchdog's tick, which is SysTick's other clock, has another length.
    pub(super) fn tick_changed(&mut self) {
        let clocks = &self.io.clocks;
        let cycles = match (self.blocks.watchdog.tick(), clocks.ref_hz) {
            (Some(tick), hz) if hz > 0 => u64::from(tick) * clocks.sys_hz / hz,
            _ => 1,
        };
        for ppb in &mut self.ppb {
            ppb.set_reference_cycles(cycles);
        }
    }

    /// Something out there will happen at another time than was thought.
    pub(crate) fn outside_changed(&mut self) {
        if self.io.foretold.is_none()
            && let Some(foretold) = self.io.outside.take_foretold()
        {
            self.expect_foretold(foretold);
        }
        match self.io.outside.next_event() {
            Some(at) => self.io.wake_at(Source::Outside, at),
            None => self.io.cancel(Source::Outside),
        }
    }

    /// The cores stop at `latest` at the latest.
    #[inline]
    pub(super) fn come_nearer(&mut self, latest: Picoseconds) {
        if latest < self.horizon {
            self.horizon = latest;
            self.has_moved = true;
        }
    }

    /// The cores stop at `horizon`, or at this cycle.
    #[inline]
    pub(crate) fn set_horizon(&mut self, horizon: Picoseconds, limit: u64) {
        (self.horizon, self.limit, self.has_moved, self.farthest) = (horizon, limit, false, None);
    }

    /// The horizon may move on while a core executes, up to `end` or to this cycle.
    #[inline]
    pub(crate) fn let_horizon_move(&mut self, end: Picoseconds, limit: u64) {
        self.farthest = Some((end, limit));
    }

    /// The cycle that a core must not run past, after an access.
    #[inline]
    pub(crate) fn take_limit(&mut self) -> u64 {
        if std::mem::take(&mut self.has_moved) {
            self.limit = self.limit.min(self.clock.cycle_at(self.horizon));
        }
        if self.attention { 0 } else { self.limit }
    }

    /// Carries out what an access or an event brought about, which mostly is nothing.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if self.has_news() {
            self.carry_out_news();
        }
    }

    /// Whether an access or an event brought anything about, as all of it together is known sooner than one by one.
    #[inline(always)]
    fn has_news(&self) -> bool {
        let is_ready = self.ppb[0].ready().is_some() | self.ppb[1].ready().is_some();
        self.io.has_news() | is_ready | self.stop_at.console | self.blocks.watchdog.wants_reboot()
    }

    #[inline(never)]
    fn carry_out_news(&mut self) {
        if self.blocks.watchdog.take_reboot().is_some() {
            self.watchdog_fired();
        }
        for _ in 0..MOST_ROUNDS {
            if !self.pins_settle() {
                break;
            }
        }
        if self.io.lines.take_dreq_rose() {
            self.flow = None;
            self.blocks.dma.requests_changed(&mut self.io);
        }
        if self.io.lines.take_irq_changed() {
            self.interrupts_changed();
        }
        if !self.asks_anew && self.io.take_agenda_changed() {
            self.come_nearer(self.latest_of_patient());
        }
        if self.stop_at.console && self.console_speaks() {
            self.stopped = Some(Stop::Console);
            self.attention = true;
        }
        if self.io.awaits_line {
            self.io.awaits_line = false;
            self.stopped = Some(Stop::AwaitsLine);
            self.attention = true;
        }
        self.attention |= self.ppb[0].ready().is_some() || self.ppb[1].ready().is_some();
    }

    /// Whether a console has output that nobody took yet.
    pub(super) fn console_speaks(&self) -> bool {
        self.blocks.uart.iter().any(|uart| uart.has_sent()) || self.blocks.usb.has_console()
    }

    /// Pins that changed are seen by whoever looks at them; true when that may have changed others.
    fn pins_settle(&mut self) -> bool {
        let pulsed = self.io.pins.inputs_pulsed();
        let inputs = self.io.pins.take_inputs_changed();
        if inputs != 0 {
            self.pins_came(inputs);
            let pulsed = if self.io.moved_unnoticed { pulsed } else { 0 };
            self.blocks.io_bank0.inputs_changed(inputs, pulsed, &mut self.io);
            if self.blocks.clocks.is_dormant() {
                self.look_at_clocks();
            }
            self.blocks.pwm.inputs_changed(inputs, &mut self.io);
            for pio in &mut self.blocks.pio {
                pio.inputs_changed(inputs, &mut self.io);
            }
            for uart in &mut self.blocks.uart {
                uart.inputs_changed(inputs, &mut self.io);
            }
            for i2c in &mut self.blocks.i2c {
                i2c.inputs_changed(inputs, &mut self.io);
            }
        }
        self.io.moved_unnoticed = false;
        let nets = self.io.pins.take_changed();
        if nets != 0 {
            if nets & self.stop_at.pins != 0 {
                self.stopped = Some(Stop::Pin);
                self.attention = true;
            }
            let levels = self.io.pins.levels();
            let io = &mut self.io;
            io.outside.pins_changed(io.now, nets, levels, &mut io.reactions);
            self.outside_changed();
        }
        let reacted = !self.io.reactions.is_empty();
        if reacted {
            self.carry_out_reactions();
        }
        inputs != 0 || nets != 0 || reacted
    }

    fn carry_out_reactions(&mut self) {
        for reaction in std::mem::take(&mut self.io.reactions) {
            match reaction {
                Reaction::Pin { pin, level } => {
                    let now = self.io.now;
                    self.io.pins.drive_outside(now, pin, level);
                }
                Reaction::Pull { pin, level } => {
                    let now = self.io.now;
                    self.io.pins.pull_outside(now, pin, level);
                }
                Reaction::UartByte { port, byte } => {
                    self.blocks.uart[usize::from(port & 1)].receive(byte, &mut self.io);
                }
                Reaction::UsbFrames => {
                    while let Some(frame) = self.io.outside.take_usb_frame() {
                        self.blocks.usb.send_frame(&frame, &mut self.io);
                    }
                }
                Reaction::Rescheduled => {}
            }
        }
        self.outside_changed();
    }

    /// Drives a pin from outside, between runs.
    pub(crate) fn drive_pin(&mut self, now: Picoseconds, pin: u8, level: Option<bool>) {
        self.io.now = self.io.now.max(now);
        self.io.pins.drive_outside(self.io.now, pin, level);
        self.settle();
    }

    /// An oscillator outside drives a pin from here on.
    pub(crate) fn give_clock(&mut self, now: Picoseconds, pin: u8, rise: Picoseconds, hz: u64) {
        self.io.now = self.io.now.max(now);
        self.blocks.clocks.give(pin, rise, hz, &mut self.io);
        self.look_at_clocks();
        self.settle();
    }

    /// Two pins are one net from here on, and a clock at one of them is at the other as well.
    pub(crate) fn wire_pins(&mut self, now: Picoseconds, pin: u8, other: u8) {
        self.io.pins.wire(now, pin, other);
        self.outside_changed();
        self.clock_pins_changed();
    }

    /// A pin with a clock may have got another function or another pad.
    pub(super) fn clock_pins_changed(&mut self) {
        self.blocks.clocks.update(&mut self.io);
        self.look_at_clocks();
    }

    /// A resistor outside pulls a pin from here on.
    pub(crate) fn pull_pin(&mut self, now: Picoseconds, pin: u8, level: bool) {
        self.io.now = self.io.now.max(now);
        self.io.pins.pull_outside(self.io.now, pin, Some(level));
        self.settle();
    }

    fn interrupts_changed(&mut self) {
        for core in 0..2 {
            self.core_interrupts_changed(core);
        }
    }

    pub(super) fn core_interrupts_changed(&mut self, core: usize) {
        let lines = self.io.lines.irq() & !(1 << Irq::IO_BANK0.0 | 1 << Irq::IO_QSPI.0);
        let bank0 = u32::from(self.blocks.io_bank0.irq_levels()[core]) << Irq::IO_BANK0.0;
        let qspi = u32::from(self.blocks.io_qspi.irq_levels()[core]) << Irq::IO_QSPI.0;
        let lines = lines | bank0 | qspi;
        let to_nmi = self.blocks.sys_cfg.nmi_mask(core);
        if lines & to_nmi != 0 {
            self.ppb[core].pend(NMI);
        }
        let before = self.ppb[core].pending_irqs();
        self.ppb[core].set_lines(lines & !to_nmi);
        if self.ppb[core].event_on_pending() && self.ppb[core].pending_irqs() & !before != 0 {
            self.events[core] = true;
        }
        self.attention |= self.ppb[core].wakes() || self.events[core];
    }

    /// Registers of the clock tree were written, or a clock came up, or a pin may wake a dormant oscillator.
    pub(super) fn look_at_clocks(&mut self) {
        if self.blocks.clocks.is_dormant()
            && (self.blocks.io_bank0.wakes_dormant() || self.blocks.io_qspi.wakes_dormant())
        {
            self.blocks.clocks.wake_from_dormant(&mut self.io);
        }
        if self.io.clocks != self.clocks_seen {
            self.frequency_changed();
        }
    }

    fn frequency_changed(&mut self) {
        let cycle = self.cycle_now();
        let before = std::mem::replace(&mut self.clocks_seen, self.io.clocks);
        let at = if before.sys_hz == 0 { self.io.now } else { self.clock.time_of(cycle) };
        let at = self.blocks.clocks.edge_of_clk_sys(at, &self.io);
        self.clock.start_at(cycle, at, self.io.clocks.sys_hz);
        self.blocks.clocks_changed(&before, &mut self.io);
        self.flash_settings_changed();
        self.tick_changed();
        for core in 0..2 {
            self.arm_systick(core, cycle);
        }
        self.attention = true;
    }

    /// Two cores or the DMA and a core may meet at one bank of memory.
    pub(crate) fn share_memory(&mut self, shared: bool) {
        if shared != self.shares_memory {
            self.shares_memory = shared;
            self.contention = Contention::default();
            self.decide_watch();
        }
    }

    /// Whether every access to memory is to take the long way: it is counted, or may clash with another.
    pub(crate) fn decide_watch(&mut self) {
        self.watch.see_every_access(self.shares_memory || self.blocks.bus_ctrl.is_counting());
    }

    /// Core 1 is held in reset, or let go, or the single-cycle block was reset.
    pub(super) fn power_changed(&mut self) {
        if self.blocks.psm.take_sio_fell() {
            self.blocks.sio.reset(&mut self.io);
        }
        self.proc1 = self.blocks.psm.take_proc1().or(self.proc1);
        self.attention |= self.proc1.is_some();
    }
}
