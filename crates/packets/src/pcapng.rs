//! Recordings in blocks: sections, interfaces, packets and more (draft-ietf-opsawg-pcapng). Blocks that hold no packet are passed
//! over, whatever is in them. Of options only those are read that times follow from, so that no comment spoils a recording.

use std::io::Read;

use crate::file::{MOST_BYTES, NS_PER_S, Order, Stop, bytes};
use crate::link::Link;

/// The first bytes of a section, alike in both orders of bytes (section 4.1).
pub(crate) const SECTION_HEADER: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const SECTION: u32 = 0x0a0d_0d0a;
const ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Types of blocks (sections 4.2 to 4.4, and appendix A for the old packet block).
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const PACKET: u32 = 6;
/// A block's type and its length in front, and the length again behind.
const FRAME_BYTES: u32 = 12;
/// Options of an interface (section 4.2).
const END_OF_OPTIONS: u16 = 0;
const RESOLUTION: u16 = 9;
const OFFSET: u16 = 14;
/// Without the option if_tsresol an interface counts microseconds.
const MICROSECONDS: u8 = 6;

/// What packets of an interface have in common.
struct Interface {
    link: Link,
    resolution: u8,
    offset_s: i64,
}

/// Reads what stands behind the first four bytes.
pub(crate) fn read(mut file: impl Read, take: &mut impl FnMut(i128, Link, Vec<u8>)) -> Result<(), Stop> {
    let (mut order, mut interfaces) = (section(&mut file).map_err(Stop::in_header)?, Vec::new());
    loop {
        let kind = bytes(&mut file, 4)?;
        match order.u32(&kind, 0).unwrap_or_default() {
            SECTION => (order, interfaces) = (section(&mut file)?, Vec::new()),
            INTERFACE => interfaces.push(Interface::of(order, &block(&mut file, order)?)),
            PACKET => {
                let body = block(&mut file, order)?;
                packet(order, &body, order.u32(&body, 0), &interfaces, take)?;
            }
            // It differs in that its interface shares a word with how many packets were lost.
            OLD_PACKET => {
                let body = block(&mut file, order)?;
                packet(order, &body, order.u16(&body, 0).map(u32::from), &interfaces, take)?;
            }
            SIMPLE_PACKET => {
                return Stop::because(
                    "the next packet has no time, as it is a simple packet block; record with tcpdump or Wireshark",
                );
            }
            _ => pass_over(&mut file, order)?,
        }
    }
}

/// The order of bytes of the section that begins.
fn section(file: &mut impl Read) -> Result<Order, Stop> {
    let start = bytes(file, 8)?;
    let Some(order) =
        [Order::Big, Order::Little].into_iter().find(|order| order.u32(&start, 4) == Some(ORDER_MAGIC))
    else {
        return Stop::because("a section has no byte-order magic; copy the file again");
    };
    let length = body_bytes(order, &start)?;
    let Some(rest) = length.checked_sub(4) else {
        return Stop::because("a section's header is too short; copy the file again");
    };
    skip(file, rest + 4)?;
    Ok(order)
}

/// What stands between a block's two lengths, once its type was read.
fn block(file: &mut impl Read, order: Order) -> Result<Vec<u8>, Stop> {
    let length = body_bytes(order, &bytes(file, 4)?)?;
    if length > MOST_BYTES {
        return Stop::because(format!(
            "the next block has {length} bytes, more than any packet; record again"
        ));
    }
    let body = bytes(file, length)?;
    skip(file, 4)?;
    Ok(body)
}

fn pass_over(file: &mut impl Read, order: Order) -> Result<(), Stop> {
    let length = body_bytes(order, &bytes(file, 4)?)?;
    skip(file, length.saturating_add(4))
}

/// How many bytes a block has within its frame, by the length in front.
fn body_bytes(order: Order, length: &[u8]) -> Result<u32, Stop> {
    let length = order.u32(length, 0).unwrap_or_default();
    match length.checked_sub(FRAME_BYTES) {
        Some(body) if length.is_multiple_of(4) => Ok(body),
        _ => Stop::because(format!("the next block says a length of {length} bytes; copy the file again")),
    }
}

fn skip(file: &mut impl Read, count: u32) -> Result<(), Stop> {
    let skipped = std::io::copy(&mut file.take(u64::from(count)), &mut std::io::sink())?;
    if skipped < u64::from(count) { Err(Stop::CutOff) } else { Ok(()) }
}

/// Takes the packet in a block: its interface, its time in two halves, how much of it was kept, how long it was, its bytes.
fn packet(
    order: Order,
    body: &[u8],
    interface: Option<u32>,
    interfaces: &[Interface],
    take: &mut impl FnMut(i128, Link, Vec<u8>),
) -> Result<(), Stop> {
    const BYTES_AT: usize = 20;
    let number = |at| order.u32(body, at).unwrap_or_default();
    let (ticks, kept) = (u64::from(number(4)) << 32 | u64::from(number(8)), number(12) as usize);
    let bytes = body.get(BYTES_AT..).and_then(|behind| behind.get(..kept));
    let (Some(number), Some(bytes)) = (interface, bytes) else {
        return Stop::because("the next packet is longer than its block; copy the file again");
    };
    let Some(interface) = interfaces.get(number as usize) else {
        return Stop::because(format!("the next packet is of interface {number}, which nothing describes"));
    };
    take(interface.nanoseconds(ticks), interface.link, bytes.to_vec());
    Ok(())
}

impl Interface {
    fn of(order: Order, body: &[u8]) -> Self {
        const OPTIONS_AT: usize = 8;
        let link = Link::of(order.u16(body, 0).unwrap_or_default());
        let mut interface = Self { link, resolution: MICROSECONDS, offset_s: 0 };
        let mut options = body.get(OPTIONS_AT..).unwrap_or_default();
        while let (Some(code), Some(length)) = (order.u16(options, 0), order.u16(options, 2)) {
            let value = options.get(4..4 + usize::from(length)).unwrap_or_default();
            match (code, value) {
                (END_OF_OPTIONS, _) => break,
                (RESOLUTION, [resolution]) => interface.resolution = *resolution,
                (OFFSET, [_, _, _, _, _, _, _, _]) => {
                    interface.offset_s = order.u64(value, 0).unwrap_or_default().cast_signed();
                }
                _ => {}
            }
            options = options.get(4 + usize::from(length).next_multiple_of(4)..).unwrap_or_default();
        }
        interface
    }

    /// Ticks of a resolution: a negative power of two where its highest bit is set, else of ten.
    fn nanoseconds(&self, ticks: u64) -> i128 {
        let power = u32::from(self.resolution & 0x7f);
        let per_second =
            if self.resolution & 0x80 == 0 { 10_u128.checked_pow(power) } else { 2_u128.checked_pow(power) };
        let since =
            per_second.map_or(0, |per_second| u128::from(ticks) * NS_PER_S.unsigned_abs() / per_second);
        i128::try_from(since).unwrap_or(i128::MAX / 2) + i128::from(self.offset_s) * NS_PER_S
    }
}
