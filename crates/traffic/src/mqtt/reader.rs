//! Cuts a stream of bytes into MQTT packets, wherever the stream was cut before. It keeps at most one packet that has not
//! arrived whole, and of that no more than the greatest size allowed.

use super::packet::{LEVEL_3_1_1, Malformed, Packet, decode};

/// Section 2.2.3.
const MOST_LENGTH_BYTES: usize = 4;

/// Packets out of a stream.
#[derive(Debug, Clone)]
pub struct Reader {
    buffer: Vec<u8>,
    consumed: usize,
    most_packet_bytes: usize,
    /// That of the first packet.
    level: u8,
}

impl Reader {
    /// A reader at the start of a stream, that refuses greater packets.
    pub fn new(most_packet_bytes: usize) -> Self {
        Self { buffer: Vec::new(), consumed: 0, most_packet_bytes, level: LEVEL_3_1_1 }
    }

    /// Takes bytes of the stream; [`Reader::next_packet`] is to be asked until it has none before more are given.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.consumed);
        self.consumed = 0;
        self.buffer.extend(bytes);
    }

    /// The next packet, if it has arrived whole.
    ///
    /// # Errors
    /// When the stream is no MQTT; it cannot be read on from there.
    pub fn next_packet(&mut self) -> Result<Option<Packet>, Malformed> {
        let rest = &self.buffer[self.consumed..];
        let Some((length, header_bytes)) = remaining_length(rest)? else { return Ok(None) };
        if header_bytes + length > self.most_packet_bytes {
            return Err(Malformed("a packet is greater than allowed"));
        }
        let Some(body) = rest.get(header_bytes..header_bytes + length) else { return Ok(None) };
        let packet = decode(self.level, rest[0], body)?;
        if let Packet::Connect(connect) = &packet {
            self.level = connect.level;
        }
        self.consumed += header_bytes + length;
        Ok(Some(packet))
    }
}

/// The remaining length and the bytes of the fixed header.
fn remaining_length(bytes: &[u8]) -> Result<Option<(usize, usize)>, Malformed> {
    let mut length = 0;
    for (place, byte) in bytes.iter().skip(1).take(MOST_LENGTH_BYTES).enumerate() {
        length |= usize::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(Some((length, place + 2)));
        }
    }
    if bytes.len() > MOST_LENGTH_BYTES {
        return Err(Malformed("a remaining length has more than four bytes"));
    }
    Ok(None)
}
