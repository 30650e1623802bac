//! A device at the PC's USB host: what it says of itself is the input's, and so is how it deviates from sound answers. Time goes
//! on, a frame holds no more transactions than the wire has room for, and a device that left leaves nothing behind but what
//! was typed. In the end its pull-up goes and comes again, and the host finds a sound device and talks to all of it.

mod descriptors;
mod device;
mod disk;
#[path = "../input.rs"]
// Shared with other targets; not all of it is for these.
#[allow(dead_code)]
mod input;

use units::{PS_PER_MS, PS_PER_US, Picoseconds};
use usb_host::UsbHost;

use descriptors::Descriptors;
use device::Device;
use input::Input;

/// Wakes of the host in a frame: a transaction is 54 bit times at the least, and takes two.
const MOST_WAKES: usize = 600;
/// What the host keeps of a device, beside what was typed and shown: a configuration of 64 KiB and a request's data are the
/// largest parts.
const MOST_KEPT_BYTES: usize = 512 << 10;
/// What a read takes of a disk at the most.
const MOST_SECTORS: u16 = 256;
const MOST_BLOCK_BYTES: usize = 4096;
/// What it keeps of a device that has left: times, and numbers that have grown.
const LEFT_BEHIND_BYTES: usize = 48;
/// The longest script's time.
const MOST_TIME: Picoseconds = Picoseconds::new(20_000 * PS_PER_MS);
/// Within this time a sound device is enumerated and its disk is read.
const SETTLED_PS: i64 = 500 * PS_PER_MS;
const PORTS: usize = 8;
/// Of a frame without its check sequence (IEEE 802.3 clause 3).
const FRAME_BYTES: std::ops::RangeInclusive<usize> = 14..=1518;

/// A target: gives whether the bytes mean something, where they can be wrong.
#[allow(dead_code)]
pub type Target = fn(&[u8]) -> Result<(), String>;

/// The target by the name of its corpus.
#[allow(dead_code)]
pub const TARGETS: [(&str, Target); 1] = [("usb_device", usb_device)];

/// The first bytes say what the device says of itself, then things happen.
pub fn usb_device(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut bus = Bus::new(Descriptors::of(&mut input));
    while !input.is_over() && bus.now < MOST_TIME {
        bus.happening(&mut input);
        bus.check_kept(MOST_KEPT_BYTES);
    }
    bus.check_another_device();
    Ok(())
}

struct Bus {
    host: UsbHost,
    device: Device,
    now: Picoseconds,
    /// Bytes that were typed, and those of sectors that were asked for: the host keeps them until they are sent or taken.
    typed: usize,
    asked: usize,
    /// What is kept by a host that never saw a device.
    kept_at_first: usize,
    /// The wakes in the frame that began at a time.
    wakes: (i64, usize),
}

impl Bus {
    fn new(descriptors: Descriptors) -> Self {
        let host = UsbHost::new();
        let kept_at_first = kept(&host);
        let mut bus = Self {
            host,
            device: Device::new(descriptors),
            now: Picoseconds::ZERO,
            typed: 0,
            asked: 0,
            kept_at_first,
            wakes: (0, 0),
        };
        bus.pull_up(true);
        bus
    }

    fn pull_up(&mut self, on: bool) {
        self.device.pulls_up = on;
        self.host.follow(&mut self.device, self.now);
    }

    fn run(&mut self, for_ps: i64) {
        let end = Picoseconds::new(self.now.ps() + for_ps);
        while let Some(next) = self.host.next_wake(&self.device, self.now).filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.count_wake();
            self.host.wake(&mut self.device, self.now);
        }
        self.now = end;
    }

    fn count_wake(&mut self) {
        let frame = self.now.ps() / PS_PER_MS;
        if self.wakes.0 != frame {
            self.wakes = (frame, 0);
        }
        self.wakes.1 += 1;
        assert!(self.wakes.1 < MOST_WAKES, "the host does not come to rest at {}", self.now);
    }

    fn happening(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        let count = usize::from(what & 15) + 1;
        match what {
            0x00..=0x3F => self.run(PS_PER_US << (what & 15)),
            0x40..=0x4F => self.run(PS_PER_MS * i64::from(what & 15) * 16),
            0x50..=0x8F => self.device.deviate(input.take(count)),
            0x90..=0x97 => self.pull_up(what & 1 == 1),
            0x98..=0x9B => {
                self.host.set_plugged(what & 1 == 1);
                self.host.follow(&mut self.device, self.now);
            }
            0x9C..=0x9D => self.host.suspend(&mut self.device, self.now),
            0x9E..=0x9F => self.host.resume(&mut self.device, self.now),
            0xA0..=0xAF => {
                let text = input.take(count).to_vec();
                self.typed += self.host.serial_send(count % (PORTS + 1), &text);
            }
            0xB0..=0xBF => self.device.print(input.take(count)),
            0xC0..=0xC7 => {
                let (first, sectors) = (u32::from(input.byte()), input.word());
                if self.host.read_sectors(first, sectors, self.now) {
                    self.asked += usize::from(sectors.clamp(1, MOST_SECTORS)) * MOST_BLOCK_BYTES;
                }
            }
            0xC8..=0xCF => {
                let first = u32::from(input.byte());
                if self.host.write_sectors(first, &vec![what; 300 * usize::from(what & 7)], self.now) {
                    self.asked += MOST_BLOCK_BYTES;
                }
            }
            0xD0..=0xDF => self.device.pulls_up_at(what & 1 == 1, count),
            0xE0..=0xEF => self.take_all(),
            0xF8..=0xFF => {
                let bytes = usize::from(input.word() & 0x7ff);
                self.host.send_frame(&vec![what; bytes]);
            }
            _ => self.look(),
        }
        self.host.follow(&mut self.device, self.now);
    }

    /// What somebody at the PC may ask for at any time.
    fn look(&mut self) {
        assert!(!(self.host.configured() && self.host.failed()));
        assert_eq!(self.host.descriptors().is_some(), self.host.configured());
        for port in 0..=PORTS {
            self.host.has_serial(port);
            assert!(!self.host.serial_open(port) || self.host.configured());
        }
        let storage = self.host.mass_storage();
        assert!(storage.is_none() || self.host.configured());
    }

    fn take_all(&mut self) {
        for port in 0..=PORTS {
            let shown = self.host.take_serial(port);
            assert!(shown.is_sorted_by_key(|(at, _)| *at), "bytes come in their order");
        }
        assert!(self.host.take_hid_reports().is_sorted_by_key(|report| report.at));
        self.host.take_sectors();
        while let Some((at, frame)) = self.host.take_frame() {
            assert!(at <= self.now && FRAME_BYTES.contains(&frame.len()), "{} bytes at {at}", frame.len());
        }
        let passed = self.host.take_passed_packets();
        assert!(passed.is_sorted_by_key(|packet| packet.start), "packets pass one after the other");
    }

    fn check_kept(&self, most_bytes: usize) {
        let kept = kept(&self.host);
        assert!(kept <= self.kept_at_first + self.typed + self.asked + most_bytes, "{kept} bytes are kept");
    }

    /// The device goes; nothing of it stays, and a sound one is found in its place.
    fn check_another_device(&mut self) {
        self.device.deviate_no_more();
        self.pull_up(false);
        self.run(20 * PS_PER_MS);
        self.host.set_plugged(true);
        self.pull_up(false);
        self.take_all();
        self.asked = 0;
        self.check_kept(LEFT_BEHIND_BYTES);
        self.device = Device::new(Descriptors::sound());
        self.pull_up(true);
        self.run(SETTLED_PS);
        self.check_all_of_it();
    }

    fn check_all_of_it(&mut self) {
        let report = self.host.descriptors().expect("a sound device is configured");
        assert_eq!(report.product.as_deref(), Some(descriptors::PRODUCT));
        assert_eq!(report.interfaces.len(), 4);
        assert!(self.host.serial_open(0), "its port is open");
        assert!(self.host.mass_storage().is_some_and(|disk| disk.ready), "its disk is read");
        assert!(self.host.read_sectors(1, 2, self.now));
        self.device.print(b"printed");
        self.device.press(4);
        self.host.serial_send(0, b"typed");
        self.run(100 * PS_PER_MS);
        let shown: Vec<u8> = self.host.take_serial(0).into_iter().map(|(_, byte)| byte).collect();
        assert!(shown.ends_with(b"printed"), "{}", shown.escape_ascii());
        assert!(self.device.heard.ends_with(b"typed"), "{}", self.device.heard.escape_ascii());
        assert_eq!(self.host.take_hid_reports().len(), 1, "a key is pressed");
        let sectors = self.host.take_sectors();
        assert!(matches!(&sectors[..], [one] if one.ok && one.data == disk::sectors(1, 2)), "{sectors:?}");
    }
}

/// The size of all that a host keeps.
fn kept(host: &UsbHost) -> usize {
    postcard::to_stdvec(host).expect("a host can be kept").len()
}
