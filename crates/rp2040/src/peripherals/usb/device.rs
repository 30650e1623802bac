//! The controller in device mode as the bus sees it (RP2040 datasheet 4.1.2.6): what it answers to a token, and what a
//! transaction leaves in buffer control words, BUFF_STATUS and SIE_STATUS. The processors' side of the same state is in
//! block.rs. The host (`usb_host`) decides when tokens come; nothing here knows how long packets last.
//!
//! Left out: host mode, isochronous transactions (the host never starts one), corrupted packets.

use units::{PS_PER_MS, Picoseconds};
use usb_host::{Answer, Endpoint, FRAME_PS, Packet};

use super::dpram::{Dpram, bit, buffer_control, endpoint_control};
use super::registers::{self as reg, interrupt, main_ctrl, muxing, phy, pwr, sie_ctrl, sie_status};
use crate::io::Io;
use crate::lines::Irq;
use crate::pins::{Function, PIN_COUNT};

const EP0_BUFFER_OFFSET: u32 = 0x100;
/// Buffer 1 of a double-buffered endpoint follows buffer 0 at this distance, unless the endpoint is isochronous.
const SECOND_BUFFER_OFFSET: u32 = 64;
/// An idle bus for so long is a suspended bus (USB 2.0 7.1.7.6).
const SUSPEND_AFTER_PS: i64 = 3 * PS_PER_MS;
/// How far clk_usb may be off for packets to be understood: 0.25 % (USB 2.0 7.1.11).
const USB_CLOCK_HZ: std::ops::RangeInclusive<u64> = 47_880_000..=48_120_000;

/// Frames that the device saw begin. No event is needed for them: the count follows from the time.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Frames {
    /// When the first SOF packet of a row of frames ended.
    first: Option<Picoseconds>,
    before: u64,
    acknowledged: u64,
}

impl Frames {
    fn seen(&self, now: Picoseconds) -> u64 {
        let running = self.first.map_or(0, |first| match (now - first).ps() {
            ps @ 0.. => ps as u64 / FRAME_PS as u64 + 1,
            _ => 0,
        });
        self.before + running
    }

    /// When the SOF after this one arrives.
    fn next(&self, now: Picoseconds) -> Option<Picoseconds> {
        let first = self.first?;
        let periods = if now < first { 0 } else { (now - first).ps() / FRAME_PS + 1 };
        first.ps().checked_add(periods.checked_mul(FRAME_PS)?).map(Picoseconds::new)
    }
}

/// The controller: its registers, its memory, and its state on the bus.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Device {
    pub(super) dpram: Dpram,
    pub(super) addr_endp: [u32; 16],
    pub(super) main_ctrl: u32,
    pub(super) sie_ctrl: u32,
    /// The latched bits of SIE_STATUS; the others follow from what is below.
    pub(super) sie_latched: u32,
    pub(super) int_ep_ctrl: u32,
    pub(super) buff_status: u32,
    pub(super) buff_cpu_should_handle: u32,
    /// The other buffer is done as well, but BUFF_STATUS tells of one at a time.
    pub(super) second_done: u32,
    pub(super) ep_abort: u32,
    pub(super) ep_abort_done: u32,
    pub(super) ep_stall_arm: u32,
    pub(super) nak_poll: u32,
    pub(super) ep_status_stall_nak: u32,
    pub(super) muxing: u32,
    pub(super) pwr: u32,
    pub(super) phy_direct: u32,
    pub(super) phy_override: u32,
    pub(super) phy_trim: u32,
    pub(super) inte: u32,
    pub(super) intf: u32,
    pub(super) connection_changed: bool,
    pub(super) suspend_changed: bool,
    /// VBUS came or went. Drivers clear this through SIE_STATUS.VBUS_DETECTED, which goes on telling the level.
    pub(super) vbus_changed: bool,
    vbus: bool,
    /// The buffer that comes next, for each double-buffered endpoint and direction.
    next_buffer: u32,
    /// One buffer of two is done, where the interrupt waits for both.
    first_of_two_done: u32,
    /// A transaction is on the wire.
    busy: u32,
    in_reset: bool,
    connected: bool,
    suspended: bool,
    idle_since: Option<Picoseconds>,
    frames: Frames,
}

impl Device {
    pub(super) fn new() -> Self {
        Self {
            dpram: Dpram::new(),
            addr_endp: [0; 16],
            main_ctrl: 0,
            sie_ctrl: 0,
            sie_latched: 0,
            int_ep_ctrl: 0,
            buff_status: 0,
            buff_cpu_should_handle: 0,
            second_done: 0,
            ep_abort: 0,
            ep_abort_done: 0,
            ep_stall_arm: 0,
            nak_poll: reg::NAK_POLL_RESET,
            ep_status_stall_nak: 0,
            muxing: 0,
            pwr: 0,
            phy_direct: 0,
            phy_override: 0,
            phy_trim: reg::USBPHY_TRIM_RESET,
            inte: 0,
            intf: 0,
            connection_changed: false,
            suspend_changed: false,
            vbus_changed: false,
            vbus: false,
            next_buffer: 0,
            first_of_two_done: 0,
            busy: 0,
            in_reset: false,
            connected: false,
            suspended: false,
            idle_since: None,
            frames: Frames::default(),
        }
    }

    /// VBUS as the controller sees it: by the override that boards without a VBUS pin use, or at a pin whose function
    /// is VBUS DET (every third GPIO from 1 on, RP2040 datasheet 1.4.3).
    pub(super) fn vbus_detected(&self, io: &Io) -> bool {
        if self.pwr & pwr::VBUS_DETECT_OVERRIDE_EN != 0 {
            return self.pwr & pwr::VBUS_DETECT != 0;
        }
        let detecting: u32 = (1..PIN_COUNT).step_by(3).map(|pin| 1 << pin).sum();
        io.pins.selected(Function::Usb) & detecting & io.pins.inputs() != 0
    }

    /// Notes that VBUS came or went.
    pub(super) fn follow_vbus(&mut self, io: &Io) {
        let vbus = self.vbus_detected(io);
        self.vbus_changed |= vbus != self.vbus;
        self.vbus = vbus;
    }

    /// Whether the host sees a full-speed device: the pull-up on D+.
    pub(super) fn pulls_up(&self, io: &Io) -> bool {
        let by_controller = self.main_ctrl & main_ctrl::CONTROLLER_EN != 0
            && self.main_ctrl & main_ctrl::HOST_NDEVICE == 0
            && self.sie_ctrl & sie_ctrl::PULLUP_EN != 0
            && self.muxing & muxing::TO_PHY != 0
            && self.vbus_detected(io);
        let by_override = self.phy_override & phy::DP_PULLUP_EN_OVERRIDE_EN != 0
            && self.phy_direct & phy::DP_PULLUP_EN != 0;
        by_controller || by_override
    }

    /// Whether packets reach the controller and are understood.
    fn hears(&self, io: &Io) -> bool {
        self.main_ctrl & (main_ctrl::CONTROLLER_EN | main_ctrl::HOST_NDEVICE) == main_ctrl::CONTROLLER_EN
            && self.muxing & muxing::TO_PHY != 0
            && self.sie_ctrl & sie_ctrl::TRANSCEIVER_PD == 0
            && !self.in_reset
            && USB_CLOCK_HZ.contains(&io.clocks.usb_hz)
    }

    /// Whether the device has this address and hears at all: enough to take a setup packet.
    pub(super) fn is_at(&self, address: u8, io: &Io) -> bool {
        self.hears(io) && self.addr_endp[0] & 0x7f == u32::from(address)
    }

    /// The control word of an endpoint; that of endpoint 0 is spread over SIE_CTRL.
    fn control(&self, endpoint: Endpoint) -> u32 {
        if endpoint.number != 0 {
            return self.dpram.endpoint_control(endpoint);
        }
        let on_stall = self.sie_ctrl & sie_ctrl::EP0_INT_STALL != 0;
        let on_nak = self.sie_ctrl & sie_ctrl::EP0_INT_NAK != 0;
        endpoint_control::ENABLE
            | self.sie_ctrl & sie_ctrl::EP0_BUFFERS
            | if on_stall { endpoint_control::INTERRUPT_ON_STALL } else { 0 }
            | if on_nak { endpoint_control::INTERRUPT_ON_NAK } else { 0 }
            | EP0_BUFFER_OFFSET
    }

    /// What the device would answer to an IN or OUT token now.
    pub(super) fn answer(&self, address: u8, endpoint: Endpoint, io: &Io) -> Answer {
        let control = self.control(endpoint);
        if !self.is_at(address, io) || control & endpoint_control::ENABLE == 0 {
            return Answer::Silence;
        }
        if self.ep_abort & bit(endpoint) != 0 {
            return Answer::Nak;
        }
        let word = self.dpram.buffer_control(endpoint);
        let armed = endpoint.number != 0 || self.ep_stall_arm & bit(endpoint) != 0;
        if word & buffer_control::STALL != 0 && armed {
            return Answer::Stall;
        }
        let restarts = word & buffer_control::RESET != 0;
        let second = control & endpoint_control::DOUBLE_BUFFERED != 0
            && !restarts
            && self.next_buffer & bit(endpoint) != 0;
        let half = if second { word >> 16 } else { word };
        let full = half & buffer_control::FULL != 0;
        if half & buffer_control::AVAILABLE != 0 && full != endpoint.out {
            Answer::Buffer(u8::from(second))
        } else {
            Answer::Nak
        }
    }

    /// Whether the firmware can tell that a NAK was sent: only then does an idle poll change anything.
    pub(super) fn notices_nak(&self, endpoint: Endpoint) -> bool {
        self.control(endpoint) & endpoint_control::INTERRUPT_ON_NAK != 0
            && self.ep_status_stall_nak & bit(endpoint) == 0
    }

    /// A token arrives; from here on the endpoint is busy until the transaction ends.
    pub(super) fn begin(&mut self, address: u8, endpoint: Endpoint, io: &Io) -> Answer {
        let answer = self.answer(address, endpoint, io);
        let noted = match answer {
            Answer::Nak => endpoint_control::INTERRUPT_ON_NAK,
            Answer::Stall => endpoint_control::INTERRUPT_ON_STALL,
            Answer::Buffer(_) => {
                self.busy |= bit(endpoint);
                0
            }
            Answer::Silence => 0,
        };
        if self.control(endpoint) & noted != 0 {
            self.ep_status_stall_nak |= bit(endpoint);
        }
        answer
    }

    /// The data packet that a buffer of an IN endpoint holds.
    pub(super) fn outgoing(&self, endpoint: Endpoint, buffer: u8) -> Packet {
        let half = self.dpram.buffer_control(endpoint) >> (16 * buffer);
        let offset = self.buffer_offset(endpoint, buffer);
        let length = half & buffer_control::LENGTH;
        Packet::filled(half & buffer_control::DATA1 != 0, length as usize, |bytes| {
            self.dpram.copy_out(offset, bytes);
        })
    }

    fn buffer_offset(&self, endpoint: Endpoint, buffer: u8) -> u32 {
        (self.control(endpoint) & endpoint_control::BUFFER_ADDRESS) + SECOND_BUFFER_OFFSET * u32::from(buffer)
    }

    /// A setup packet arrived whole; it is always taken (RP2040 datasheet 4.1.2.6.2).
    pub(super) fn take_setup(&mut self, setup: &[u8]) {
        self.dpram.copy_in(0, setup);
        self.sie_latched |= sie_status::SETUP_REC;
        self.ep_stall_arm = 0;
    }

    /// The host acknowledged the data of a buffer. False when the device was reset meanwhile.
    pub(super) fn finish_in(&mut self, endpoint: Endpoint, buffer: u8) -> bool {
        if !self.leave(endpoint) {
            return false;
        }
        let shift = 16 * u32::from(buffer);
        let word = self.dpram.buffer_control(endpoint);
        let cleared = (buffer_control::AVAILABLE | buffer_control::FULL) << shift;
        self.dpram.set_buffer_control(endpoint, word & !cleared & !buffer_control::RESET);
        self.sie_latched |= sie_status::ACK_REC;
        self.complete(endpoint, buffer, word >> shift);
        true
    }

    /// The data of an OUT transaction arrived whole, and the device acknowledges it. False when it was reset meanwhile.
    pub(super) fn finish_out(&mut self, endpoint: Endpoint, buffer: u8, packet: &Packet) -> bool {
        if !self.leave(endpoint) {
            return false;
        }
        let shift = 16 * u32::from(buffer);
        let word = self.dpram.buffer_control(endpoint);
        let half = word >> shift;
        if (half & buffer_control::DATA1 != 0) != packet.data1 {
            // As the host would repeat a packet whose acknowledgement was lost: acknowledged and dropped.
            self.sie_latched |= sie_status::DATA_SEQ_ERROR;
            return true;
        }
        self.dpram.copy_in(self.buffer_offset(endpoint, buffer), packet.payload());
        let cleared = (buffer_control::AVAILABLE | buffer_control::LENGTH) << shift;
        let set = (buffer_control::FULL | packet.payload().len() as u32) << shift;
        self.dpram.set_buffer_control(endpoint, word & !cleared & !buffer_control::RESET | set);
        self.complete(endpoint, buffer, half);
        true
    }

    /// A transaction is over; the endpoint may now be given up to an abort that waits.
    fn leave(&mut self, endpoint: Endpoint) -> bool {
        let was_busy = self.busy & bit(endpoint) != 0;
        self.busy &= !bit(endpoint);
        self.ep_abort_done |= self.ep_abort & bit(endpoint);
        was_busy
    }

    /// A transaction ended without an acknowledgement: nothing changes.
    pub(super) fn give_up(&mut self, endpoint: Endpoint) {
        self.leave(endpoint);
    }

    /// The endpoints that an abort has to wait for.
    pub(super) fn busy(&self) -> u32 {
        self.busy
    }

    fn complete(&mut self, endpoint: Endpoint, buffer: u8, half: u32) {
        let (bit, control) = (bit(endpoint), self.control(endpoint));
        let double = control & endpoint_control::DOUBLE_BUFFERED != 0;
        if double {
            self.next_buffer = if buffer == 0 { self.next_buffer | bit } else { self.next_buffer & !bit };
        }
        if half & buffer_control::LAST != 0 {
            self.sie_latched |= sie_status::TRANS_COMPLETE;
        }
        if control & endpoint_control::INTERRUPT_PER_BUFF != 0 {
            self.report_buffer(bit, double.then_some(buffer));
        } else if double && control & endpoint_control::INTERRUPT_PER_DOUBLE_BUFF != 0 {
            if buffer == 0 {
                self.first_of_two_done |= bit;
            } else if self.first_of_two_done & bit != 0 {
                self.first_of_two_done &= !bit;
                self.report_buffer(bit, None);
            }
        }
    }

    fn report_buffer(&mut self, bit: u32, of_two: Option<u8>) {
        if self.buff_status & bit != 0 {
            self.second_done |= if of_two.is_some() { bit } else { 0 };
            return;
        }
        self.buff_status |= bit;
        self.buff_cpu_should_handle = if of_two == Some(1) {
            self.buff_cpu_should_handle | bit
        } else {
            self.buff_cpu_should_handle & !bit
        };
    }

    /// The host drives a reset.
    pub(super) fn bus_reset_begins(&mut self, now: Picoseconds) {
        self.stop_frames(now);
        self.in_reset = true;
        self.sie_latched |= sie_status::BUS_RESET;
        self.idle_since = None;
        self.set_suspended(false);
    }

    pub(super) fn bus_reset_ends(&mut self) {
        self.in_reset = false;
        self.connection_changed |= !self.connected;
        self.connected = true;
    }

    /// The bus is idle from here on: attached, but no frames.
    pub(super) fn bus_idles(&mut self, now: Picoseconds) {
        self.stop_frames(now);
        self.idle_since.get_or_insert(now);
    }

    /// The host sends SOF packets; the first ends at `first`.
    pub(super) fn frames_begin(&mut self, first: Picoseconds) {
        self.frames.first = Some(first);
        self.idle_since = None;
        self.set_suspended(false);
    }

    /// The host signals that it resumes.
    pub(super) fn bus_resumes(&mut self) {
        self.sie_latched |= sie_status::RESUME;
        self.idle_since = None;
        self.set_suspended(false);
    }

    /// The pull-up is off: there is no bus to speak of.
    pub(super) fn bus_gone(&mut self, now: Picoseconds) {
        self.stop_frames(now);
        self.idle_since = None;
        self.connection_changed |= self.connected;
        self.connected = false;
        self.set_suspended(false);
    }

    /// Frames end, and with them whatever was on the wire.
    fn stop_frames(&mut self, now: Picoseconds) {
        self.busy = 0;
        self.ep_abort_done |= self.ep_abort;
        self.in_reset = false;
        self.frames.before = self.frames.seen(now);
        self.frames.first = None;
    }

    fn set_suspended(&mut self, suspended: bool) {
        self.suspend_changed |= self.suspended != suspended;
        self.suspended = suspended;
    }

    /// When the device's own clockwork has something to show: a SOF that interrupts, or three idle milliseconds.
    pub(super) fn next_event(&self, now: Picoseconds) -> Option<Picoseconds> {
        let suspend = self.idle_since.filter(|_| !self.suspended);
        let suspend = suspend.map(|since| Picoseconds::new(since.ps().saturating_add(SUSPEND_AFTER_PS)));
        let sof_wanted = self.inte & interrupt::DEV_SOF != 0 && !self.sof_pending(now);
        let sof = if sof_wanted { self.frames.next(now) } else { None };
        suspend.into_iter().chain(sof).min()
    }

    /// Lets three idle milliseconds suspend the device.
    pub(super) fn advance(&mut self, now: Picoseconds) {
        if self.idle_since.is_some_and(|since| (now - since).ps() >= SUSPEND_AFTER_PS) {
            self.set_suspended(true);
        }
    }

    pub(super) fn sof_pending(&self, now: Picoseconds) -> bool {
        self.frames.seen(now) > self.frames.acknowledged
    }

    pub(super) fn acknowledge_sof(&mut self, now: Picoseconds) {
        self.frames.acknowledged = self.frames.seen(now);
    }

    pub(super) fn frame_number(&self, now: Picoseconds) -> u32 {
        self.frames.seen(now).saturating_sub(1) as u32 & 0x7ff
    }

    /// SIE_STATUS, latched bits and levels.
    pub(super) fn sie_status(&self, io: &Io) -> u32 {
        let level = |on: bool, bit: u32| if on { bit } else { 0 };
        let idle = self.pulls_up(io) && !self.in_reset;
        self.sie_latched
            | level(self.connected, sie_status::CONNECTED)
            | level(self.suspended, sie_status::SUSPENDED)
            | level(idle, sie_status::LINE_STATE_J)
            | level(self.vbus_detected(io), sie_status::VBUS_DETECTED)
    }

    /// Sets the interrupt line to what the registers say.
    pub(super) fn update_interrupt(&self, io: &mut Io) {
        let level = self.raised(io) & self.inte | self.intf;
        io.lines.set_irq(Irq::USBCTRL, level != 0);
    }
}
