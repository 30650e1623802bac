//! Leads the frames of a serial port and the transfers of the DMA that feed and empty it, as long as one follows from the
//! other and nobody else can come between: at the same times and in the same order as by appointment, without making the
//! appointments.

use units::Picoseconds;

use crate::bus::access::narrow;
use crate::bus::block::Block;
use crate::bus::dma::{APB_READ_WAIT_CYCLES, APB_WRITE_WAIT_CYCLES, is_sram};
use crate::bus::patience::PATIENCE;
use crate::bus::{Bus, Size};
use crate::flash::{Alias, XipCache};
use crate::lines::Dreq;
use crate::memory::{SRAM_BASE, Sram};
use crate::peripherals::Source;
use crate::peripherals::dma::Transfer;
use crate::peripherals::dma::flow::{Beat, Channels, Next};
use mcu::SpiAnswer;

/// No appointment.
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);
const PORTS: [Source; 2] = [Source::Spi0, Source::Spi1];
/// All requests of serial ports to the DMA.
pub(super) const SPI_REQUESTS: u64 = 0xf << Dreq::SPI0_TX.0;
/// How long a transfer from a port, and one to it, occupies the DMA's way to the bus.
const OCCUPIED_CYCLES: [u32; 2] = [1 + APB_READ_WAIT_CYCLES, 1 + APB_WRITE_WAIT_CYCLES];

/// A port and its channels, of which it is known that they flow until somebody else does anything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    index: usize,
    /// The data register.
    data: u32,
    channels: Channels,
    /// Their even beat, once they have found it.
    beat: Option<Beat>,
    /// What comes back in the frames, if nobody hears them.
    unheard: Option<SpiAnswer>,
}

/// When what happens next in a flow.
struct Course {
    /// When the present frame ends.
    frame: Picoseconds,
    /// When the DMA is to be woken.
    transfer: Picoseconds,
    /// When anybody else is to be woken, and the last instant at which the flow may go on.
    others: Picoseconds,
    last: Picoseconds,
    /// For how long these events may wait to be looked at.
    patience: Picoseconds,
    /// Whether anything happened, and whether an appointment was made by that.
    moved: bool,
    armed: bool,
    /// Whether something outside reacted, which comes before anything else.
    reacted: bool,
}

impl Bus {
    /// Lets everything happen up to and including `until` that belongs to a flow, if the event of `source`, which is due
    /// first, does. Gives whether anything happened: nothing that a core could notice but by looking, unless something
    /// outside reacted.
    #[inline]
    pub(crate) fn let_flow(&mut self, source: Source, until: Picoseconds) -> bool {
        if !matches!(source, Source::Spi0 | Source::Spi1 | Source::Dma) || self.shares_memory {
            return false;
        }
        // A run that is to stop at a console stops at the next event while nobody takes what that says.
        if self.stop_at.console && self.console_speaks() {
            return false;
        }
        if self.flow.is_none() {
            if !self.blocks.dma.hears(SPI_REQUESTS) {
                return false;
            }
            self.flow = self.find_flow();
        }
        let Some(flow) = self.flow else { return false };
        let Some(mut course) = self.course(&flow, until) else { return false };
        while !course.reacted {
            if course.transfer == NEVER {
                self.go_at_beat(&flow, &mut course);
            }
            if course.reacted || !self.flow_step(&flow, &mut course) {
                break;
            }
        }
        if course.moved {
            self.end_course(&flow, &course);
        }
        course.moved
    }

    /// What flows now. Accesses that are counted and news that somebody has to be told first need the long way.
    fn find_flow(&self) -> Option<Flow> {
        (0..PORTS.len()).find_map(|index| self.flow_of(index))
    }

    fn flow_of(&self, index: usize) -> Option<Flow> {
        let io = &self.io;
        let spi = &self.blocks.spi[index];
        let port = spi.as_port();
        let channels = self.blocks.dma.channels_of(&port, OCCUPIED_CYCLES, false, io)?;
        let settled = io.lines.are_settled() && io.pins.are_settled() && io.reactions.is_empty();
        let flows = spi.flows(io) && !self.blocks.is_held(Block::Spi(index));
        let flows = flows && settled && !self.blocks.bus_ctrl.is_counting();
        let unheard = io.outside.unheard_spi(index as u8).filter(|_| !spi.is_shown(io));
        flows.then_some(Flow { index, data: port.to, channels, beat: None, unheard })
    }

    #[inline]
    fn course(&self, flow: &Flow, until: Picoseconds) -> Option<Course> {
        let io = &self.io;
        let own = 1 << PORTS[flow.index].index() | 1 << Source::Dma.index();
        let patient = io.patient & own;
        let others = io.next_wake_besides(own);
        let due = |source| io.due(source).unwrap_or(NEVER);
        (patient == 0 || patient == own).then(|| Course {
            frame: due(PORTS[flow.index]),
            transfer: due(Source::Dma),
            others,
            last: until.min(Picoseconds::new(others.ps().saturating_sub(1))),
            patience: if patient == own { PATIENCE } else { Picoseconds::ZERO },
            moved: false,
            armed: io.agenda_changed(),
            reacted: false,
        })
    }

    /// Makes the appointments of what comes next, and tells whoever has to know.
    #[inline]
    fn end_course(&mut self, flow: &Flow, course: &Course) {
        self.io.set_wakes([(PORTS[flow.index], course.frame), (Source::Dma, course.transfer)]);
        if course.reacted && self.io.unnoticed != 0 {
            self.lead_all_on(self.io.now);
        }
        if course.reacted || course.armed && course.others < self.horizon {
            if course.armed {
                self.io.tell_agenda_changed();
            }
            self.settle();
        } else {
            self.io.take_agenda_changed();
            self.attention |= self.ppb[0].ready().is_some() || self.ppb[1].ready().is_some();
        }
    }

    /// One frame's end or one transfer; false when the next event does not belong to the flow or comes too late.
    #[inline]
    fn flow_step(&mut self, flow: &Flow, course: &mut Course) -> bool {
        let at = course.frame.min(course.transfer);
        if at > course.last {
            return false;
        }
        // Of one instant the frame comes first, as in the agenda.
        let goes_on = match course.frame <= course.transfer {
            true => self.end_frame(flow, course, at),
            false => self.move_word(flow, course, at),
        };
        if goes_on {
            course.moved = true;
            self.heed(course, course.frame.min(course.transfer));
        }
        goes_on
    }

    /// A frame ends; false when none follows, before anything has happened.
    #[inline]
    fn end_frame(&mut self, flow: &Flow, course: &mut Course, at: Picoseconds) -> bool {
        let (spi, io) = (&mut self.blocks.spi[flow.index], &mut self.io);
        if !spi.has_next() {
            return false;
        }
        io.now = io.now.max(at);
        let word = spi.answer_in_flow(io);
        spi.receive_in_flow(word);
        course.frame = spi.next_frame_in_flow().max(io.now);
        course.armed = true;
        let (requests, all) = spi.requests();
        io.lines.set_dreqs(all, requests);
        course.reacted = !io.reactions.is_empty();
        if !course.reacted
            && io.lines.take_dreq_rose()
            && let Some(due) = self.blocks.dma.hear(&flow.channels, requests, io.now)
        {
            course.transfer = if due == NEVER { NEVER } else { due.max(io.now) };
        }
        true
    }

    /// A transfer is due; false when it is one for the long way, before anything has happened.
    #[inline]
    fn move_word(&mut self, flow: &Flow, course: &mut Course, at: Picoseconds) -> bool {
        let (spi, dma) = (&mut self.blocks.spi[flow.index], &mut self.blocks.dma);
        let now = self.io.now.max(at);
        let (requests, all) = spi.requests();
        let xip = &self.xip;
        let is_memory = |address, writes: bool| is_sram(address) || !writes && is_at_hand(xip, address);
        match dma.next_in_flow(&flow.channels, requests, now, is_memory) {
            Next::Special | Next::Others => return false,
            Next::Nothing => {}
            Next::Transfer(transfer) => {
                let value = if flow.channels.receives(transfer.channel) {
                    let word = spi.take_in_flow();
                    self.keep(&transfer, transfer.write_address, word)
                } else {
                    let value = self.bring_at_hand(&transfer, transfer.read_address);
                    self.blocks.spi[flow.index].bring_in_flow(value);
                    value
                };
                let (requests, _) = self.blocks.spi[flow.index].requests();
                self.io.lines.set_dreqs(all, requests);
                self.io.address = flow.data;
                self.dma_transfers += 1;
                self.blocks.dma.flowed(&flow.channels, transfer.channel, (value, 0), requests);
            }
        }
        self.io.now = now;
        let due = self.blocks.dma.expect();
        course.armed |= due != NEVER;
        course.transfer = if due == NEVER { NEVER } else { due.max(now) };
        true
    }

    /// Somebody may have to be looked at before a core would stop by itself: seen after the first of several events already.
    #[inline]
    fn heed(&mut self, course: &Course, next: Picoseconds) {
        if course.armed && next.ps().saturating_add(course.patience.ps()) < self.horizon.ps() {
            self.attention = true;
        }
    }
}

impl Bus {
    /// Frames with all the transfers that follow on each, while these go at an even beat.
    #[inline]
    fn go_at_beat(&mut self, flow: &Flow, course: &mut Course) {
        let (spi, dma) = (&self.blocks.spi[flow.index], &self.blocks.dma);
        if course.frame >= course.last
            || course.frame < self.io.now
            || !spi.is_in_step(flow.channels.empty_it())
        {
            return;
        }
        let beat = match flow.beat {
            Some(beat) => Some(beat),
            None => {
                let beat = dma.beat(&flow.channels, spi.frame());
                self.flow = Some(Flow { beat, ..*flow });
                beat
            }
        };
        if let Some(beat) = &beat
            && self.blocks.dma.takes_up(beat, course.frame)
            && course.frame + beat.last <= course.last
        {
            self.keep_beat(flow, beat, course);
        }
    }

    fn keep_beat(&mut self, flow: &Flow, beat: &Beat, course: &mut Course) {
        let (mut from, mut to) = self.blocks.dma.lanes(&flow.channels);
        let (from_end, mut last_end) = (course.frame, None);
        let (mut frames, mut last_sent) = (0, 0);
        while course.frame + beat.last <= course.last
            && from.goes_on()
            && (is_sram(from.aligned()) || is_at_hand(&self.xip, from.aligned()))
            && to.as_ref().is_none_or(|to| to.goes_on() && is_sram(to.aligned()))
        {
            let (spi, io) = (&mut self.blocks.spi[flow.index], &mut self.io);
            let end = course.frame;
            frames += 1;
            let word = match flow.unheard {
                Some(answer) => {
                    let (sent, word) = spi.exchange_unheard(answer);
                    last_sent = sent;
                    word
                }
                None => {
                    io.now = end;
                    spi.answer_in_flow(io)
                }
            };
            if flow.unheard.is_none() && !io.reactions.is_empty() {
                spi.receive_in_flow(word);
                course.frame = spi.next_frame_in_flow();
                course.reacted = true;
                break;
            }
            let early = (!beat.receives_first).then(|| self.bring_at_hand(from.transfer(), from.aligned()));
            match &mut to {
                None => self.blocks.spi[flow.index].receive_in_flow(word),
                Some(to) => {
                    self.keep(to.transfer(), to.aligned(), word.into());
                    to.advance();
                }
            }
            let value = early.unwrap_or_else(|| self.bring_at_hand(from.transfer(), from.aligned()));
            from.advance();
            self.dma_transfers += 1 + u64::from(to.is_some());
            course.frame = self.blocks.spi[flow.index].next_frame_of_beat(value);
            last_end = Some(end);
        }
        (course.moved, course.armed) = (course.moved | (frames > 0), course.armed | (frames > 0));
        if let Some(end) = last_end {
            if let Some(answer) = flow.unheard {
                self.blocks.spi[flow.index].pass_unheard(frames, answer, last_sent, &mut self.io);
            }
            self.heed(course, from_end + beat.first);
            if !course.reacted {
                self.blocks.spi[flow.index].end_beat();
            }
            self.io.address = flow.data;
            self.io.now = self.io.now.max(end + beat.last);
            self.blocks.dma.end_beat(&flow.channels, beat, end, (&from, to.as_ref()));
        }
        // Requests that rose in a beat are old news; those of a frame that something reacted to are not.
        let (requests, all) = self.blocks.spi[flow.index].requests();
        self.io.lines.set_dreqs(all, requests);
        if !course.reacted {
            self.io.lines.take_dreq_rose();
        }
    }

    /// A word for the port from SRAM, or from the flash where it [is at hand](is_at_hand).
    #[inline(always)]
    pub(super) fn bring_at_hand(&mut self, transfer: &Transfer, address: u32) -> u32 {
        if !is_sram(address) {
            self.xip.count_hits_of_dma(1);
        }
        self.look_at_hand(transfer, address)
    }

    /// The same word, before it is moved.
    #[inline(always)]
    pub(super) fn look_at_hand(&self, transfer: &Transfer, address: u32) -> u32 {
        match is_sram(address) {
            true => bring(&self.sram, transfer, address),
            false => transfer.written(self.peek_flash(address, Size::of_bytes(transfer.bytes))),
        }
    }

    /// A word from the port goes to memory; gives what was stored.
    #[inline(always)]
    pub(super) fn keep(&mut self, transfer: &Transfer, address: u32, word: u32) -> u32 {
        let size = Size::of_bytes(transfer.bytes);
        let value = transfer.written(narrow(word, transfer.read_address, size));
        let stored = match size {
            Size::Byte => self.sram.store_byte(address, value),
            Size::Half => self.sram.store_half(address, value),
            Size::Word => self.sram.store_word(address, value),
        };
        if !stored {
            self.store_sram(address.wrapping_sub(SRAM_BASE), size, value);
        }
        value
    }
}

/// Whether a word of the flash may be read at any time, because the cache has it where reading changes no line.
#[inline(always)]
pub(super) fn is_at_hand(xip: &XipCache, address: u32) -> bool {
    Alias::of(address) == Some(Alias::Cached) && xip.is_in_first_way(address & 0xff_ffff)
}

/// A word for the port from SRAM.
#[inline]
pub(super) fn bring(sram: &Sram, transfer: &Transfer, address: u32) -> u32 {
    let value = match transfer.bytes {
        1 => sram.load_byte(address),
        2 => sram.load_half(address),
        _ => sram.load_word(address),
    };
    transfer.written(value.unwrap_or_default())
}
