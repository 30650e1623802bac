//! A network that the image offers over USB, and the PC that uses it: what the PC's driver carries in both directions, with the
//! frames of a board in the place of firmware.

use board::find_board;
use board::parts::{Parts, Reaction};
use lan::NetworkSetup;
use mcu::Outside;
use units::{PS_PER_MS, Picoseconds};

const BOARD_MAC: [u8; 6] = [2, 2, 0x84, 0x6a, 0x96, 1];
const PC_MAC: [u8; 6] = [2, 0x41, 0x57, 0, 0, 1];
const ARP: [u8; 2] = [8, 6];
/// The network that the board has, and what it gives the PC there.
const BOARD_ADDRESS: [u8; 4] = [192, 168, 7, 1];
const LEASED: [u8; 4] = [192, 168, 7, 2];

fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

/// The chip's end of the PC's driver.
struct Usb {
    parts: Box<dyn Outside>,
    now: Picoseconds,
    frames: Vec<Vec<u8>>,
}

impl Usb {
    fn with_traffic(traffic: &str) -> Self {
        let mut network = NetworkSetup::default();
        network.add_traffic(traffic).expect("it is a client");
        let parts = Parts::of(&find_board("pico-usb-network").unwrap(), &network, 1);
        Self { parts: Box::new(parts), now: ms(0), frames: Vec::new() }
    }

    fn react(&mut self, reactions: &[Reaction]) {
        if reactions.contains(&Reaction::UsbFrames) {
            self.frames.extend(std::iter::from_fn(|| self.parts.take_usb_frame()));
        }
    }

    fn set_link(&mut self, has_link: bool) {
        let mut reactions = Vec::new();
        self.parts.usb_network(self.now, has_link, &mut reactions);
        self.react(&reactions);
    }

    fn send(&mut self, frame: &[u8]) {
        let mut reactions = Vec::new();
        self.parts.usb_frame(self.now, frame, &mut reactions);
        self.react(&reactions);
    }

    fn wait(&mut self, time: Picoseconds) {
        let until = self.now + time;
        while let Some(at) = self.parts.next_event().filter(|&at| at <= until) {
            let mut reactions = Vec::new();
            self.now = self.now.max(at);
            self.parts.advance(at, &mut reactions);
            self.react(&reactions);
        }
        self.now = until;
    }

    /// The frames for the board since the last call.
    fn take(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.frames)
    }
}

fn ethernet(to: [u8; 6], kind: [u8; 2], payload: &[u8]) -> Vec<u8> {
    [&to[..], &BOARD_MAC, &kind, payload].concat()
}

/// Tells everybody who has an address (RFC 5227, section 1.1: an ARP Announcement).
fn announcement(address: [u8; 4]) -> Vec<u8> {
    let payload = [&[0, 1, 8, 0, 6, 4, 0, 1][..], &BOARD_MAC, &address, &[0; 6], &address].concat();
    ethernet([0xff; 6], ARP, &payload)
}

/// Whom a frame asks for by ARP, and for whom; nothing where it does not.
fn arp_question(frame: &[u8]) -> Option<([u8; 4], [u8; 4])> {
    let asks = frame[12..14] == ARP && frame[20..22] == [0, 1];
    asks.then(|| (frame[38..42].try_into().unwrap(), frame[28..32].try_into().unwrap()))
}

/// The type of a message of DHCP from a client (RFC 2131, section 3; the option comes first with most clients).
fn dhcp_type(frame: &[u8]) -> Option<u8> {
    let is_client = frame[12..14] == [8, 0] && frame.get(34..38) == Some(&[0, 68, 0, 67]);
    let options = frame.get(282..).filter(|_| is_client)?;
    let at = options.windows(2).position(|pair| pair == [53, 1])?;
    options.get(at + 2).copied()
}

/// An answer of the board's DHCP server to a message, of this type.
fn dhcp_answer(asked: &[u8], kind: u8) -> Vec<u8> {
    let mut message = vec![0; 240];
    message[..4].copy_from_slice(&[2, 1, 6, 0]);
    message[4..8].copy_from_slice(&asked[46..50]);
    message[16..20].copy_from_slice(&LEASED);
    message[28..34].copy_from_slice(&PC_MAC);
    message[236..240].copy_from_slice(&[0x63, 0x82, 0x53, 0x63]);
    message.extend([53, 1, kind, 54, 4].into_iter().chain(BOARD_ADDRESS));
    message.extend([51, 4, 0, 0, 0x0e, 0x10, 1, 4, 255, 255, 255, 0, 255]);
    let udp_bytes = 8 + message.len() as u16;
    let mut udp = [0, 67, 0, 68].to_vec();
    udp.extend(udp_bytes.to_be_bytes().into_iter().chain([0, 0]).chain(message));
    let mut ip = vec![0x45, 0];
    ip.extend((20 + udp_bytes).to_be_bytes());
    ip.extend([0, 0, 0, 0, 64, 17, 0, 0]);
    ip.extend(BOARD_ADDRESS.into_iter().chain([255; 4]));
    let sum: u32 = ip.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    ip[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
    ip.extend(udp);
    ethernet([0xff; 6], [8, 0], &ip)
}

#[test]
fn the_pc_asks_for_an_address_when_the_network_is_there_and_its_clients_begin_when_it_has_one() {
    let mut usb = Usb::with_traffic("ping to=board count=1");
    usb.wait(ms(100));
    assert!(usb.take().is_empty(), "nobody is there before the network is");
    usb.set_link(true);
    usb.wait(ms(1));
    let discover = usb.take().pop().expect("the PC asks");
    assert_eq!((&discover[6..12], dhcp_type(&discover)), (&PC_MAC[..], Some(1)));
    usb.send(&dhcp_answer(&discover, 2));
    usb.wait(ms(1));
    let request = usb.take().pop().expect("it takes what it is offered");
    assert_eq!(dhcp_type(&request), Some(3));
    usb.send(&dhcp_answer(&request, 5));
    usb.wait(ms(200));
    let questions: Vec<_> = usb.take().iter().filter_map(|frame| arp_question(frame)).collect();
    assert_eq!(questions.first(), Some(&(BOARD_ADDRESS, LEASED)), "the ping goes from the leased address");
}

#[test]
fn a_board_in_the_pc_s_own_network_needs_no_dhcp_server() {
    let mut usb = Usb::with_traffic("ping to=board count=1");
    usb.set_link(true);
    usb.send(&announcement([192, 168, 1, 50]));
    usb.wait(ms(200));
    let questions: Vec<_> = usb.take().iter().filter_map(|frame| arp_question(frame)).collect();
    assert_eq!(questions.first(), Some(&([192, 168, 1, 50], [192, 168, 1, 1])));
}

#[test]
fn a_board_of_another_network_is_not_asked_before_the_pc_has_an_address_there() {
    let mut usb = Usb::with_traffic("ping to=board count=1");
    usb.set_link(true);
    usb.send(&announcement(BOARD_ADDRESS));
    usb.wait(ms(500));
    assert!(usb.take().iter().all(|frame| arp_question(frame).is_none()));
}

#[test]
fn no_frame_reaches_a_network_that_is_gone() {
    let mut usb = Usb::with_traffic("ping to=board count=1");
    usb.set_link(true);
    usb.send(&announcement([192, 168, 1, 50]));
    usb.set_link(false);
    usb.take();
    usb.wait(ms(500));
    assert!(usb.take().is_empty());
}
