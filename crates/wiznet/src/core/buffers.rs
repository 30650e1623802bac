//! The two packet memories and how they are split among the sockets. Sockets follow each other in the order of their numbers;
//! one whose part would reach past the end has none (the datasheets forbid such a split; what silicon does then is unknown).

use crate::map::Side;

const KIBIBYTE: u16 = 1024;
pub(crate) const MOST_SOCKETS: usize = 8;

/// A socket's part of a memory: a power of two of bytes, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Span {
    pub(crate) base: u16,
    pub(crate) size: u16,
}

/// Whether a split was one that the datasheet allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Split {
    Legal,
    /// A size that is not 0, 1, 2, 4, 8 or 16 KiB.
    OddSize,
    /// More than there is.
    Overfull,
}

/// Both memories.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Buffers {
    transmit: Vec<u8>,
    receive: Vec<u8>,
    transmit_spans: [Span; MOST_SOCKETS],
    receive_spans: [Span; MOST_SOCKETS],
}

impl Buffers {
    pub(crate) fn new(bytes: u16) -> Self {
        Self {
            transmit: vec![0; usize::from(bytes)],
            receive: vec![0; usize::from(bytes)],
            transmit_spans: [Span::default(); MOST_SOCKETS],
            receive_spans: [Span::default(); MOST_SOCKETS],
        }
    }

    /// Splits a memory anew; sizes in KiB.
    pub(crate) fn split(&mut self, side: Side, kibibytes: impl Iterator<Item = u8>) -> Split {
        let (memory, spans) = match side {
            Side::Transmit => (&self.transmit, &mut self.transmit_spans),
            Side::Receive => (&self.receive, &mut self.receive_spans),
        };
        let mut verdict = Split::Legal;
        let mut base = 0usize;
        for (span, kibibytes) in spans.iter_mut().zip(kibibytes) {
            *span = Span::default();
            if !matches!(kibibytes, 0 | 1 | 2 | 4 | 8 | 16) {
                verdict = Split::OddSize;
                continue;
            }
            let size = usize::from(kibibytes) * usize::from(KIBIBYTE);
            if base + size > memory.len() {
                verdict = Split::Overfull;
                continue;
            }
            *span = Span { base: base as u16, size: size as u16 };
            base += size;
        }
        verdict
    }

    pub(crate) fn span(&self, side: Side, socket: usize) -> Span {
        match side {
            Side::Transmit => self.transmit_spans[socket],
            Side::Receive => self.receive_spans[socket],
        }
    }

    pub(crate) fn memory(&self, side: Side) -> &[u8] {
        match side {
            Side::Transmit => &self.transmit,
            Side::Receive => &self.receive,
        }
    }

    pub(crate) fn memory_mut(&mut self, side: Side) -> &mut [u8] {
        match side {
            Side::Transmit => &mut self.transmit,
            Side::Receive => &mut self.receive,
        }
    }

    /// A socket's parts, to read what it sends and to store what it receives.
    pub(crate) fn of(&mut self, socket: usize) -> (&[u8], &mut [u8]) {
        let transmit = self.transmit_spans[socket];
        let receive = self.receive_spans[socket];
        (&self.transmit[range(transmit)], &mut self.receive[range(receive)])
    }

    /// `bytes` of a socket's transmit part from a pointer on, which wraps.
    pub(crate) fn read_transmit(&self, socket: usize, pointer: u16, bytes: usize, out: &mut Vec<u8>) {
        let part = &self.transmit[range(self.transmit_spans[socket])];
        if part.is_empty() {
            return;
        }
        let mut index = usize::from(pointer) & (part.len() - 1);
        let mut left = bytes;
        while left > 0 {
            let piece = left.min(part.len() - index);
            out.extend_from_slice(&part[index..index + piece]);
            left -= piece;
            index = 0;
        }
    }

    /// Stores `bytes` in a socket's receive part from a pointer on; they fit.
    pub(crate) fn store_received(&mut self, socket: usize, pointer: u16, bytes: &[u8]) {
        let part = &mut self.receive[range(self.receive_spans[socket])];
        let index = usize::from(pointer) & (part.len() - 1);
        let piece = bytes.len().min(part.len() - index);
        part[index..index + piece].copy_from_slice(&bytes[..piece]);
        part[..bytes.len() - piece].copy_from_slice(&bytes[piece..]);
    }

    /// Where an offset into a memory as a driver addresses it stands, and how many bytes follow without a break.
    pub(crate) fn whole(&self, side: Side, offset: u16) -> (usize, usize) {
        let index = usize::from(offset);
        (index, self.memory(side).len().saturating_sub(index))
    }

    /// The same for a socket's own offset, which wraps; nothing for a socket without memory.
    pub(crate) fn part(&self, side: Side, socket: usize, offset: u16) -> Option<(usize, usize)> {
        let span = self.span(side, socket);
        let within = offset & span.size.checked_sub(1)?;
        Some((usize::from(span.base + within), usize::from(span.size - within)))
    }
}

fn range(span: Span) -> std::ops::Range<usize> {
    usize::from(span.base)..usize::from(span.base) + usize::from(span.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_does_not_fit_has_no_memory() {
        let mut buffers = Buffers::new(16 * KIBIBYTE);
        let verdict = buffers.split(Side::Receive, [8, 8, 2, 0, 0, 0, 0, 0].into_iter());
        assert_eq!(verdict, Split::Overfull);
        assert_eq!(buffers.span(Side::Receive, 1), Span { base: 8192, size: 8192 });
        assert_eq!(buffers.span(Side::Receive, 2).size, 0);
        assert_eq!(buffers.part(Side::Receive, 2, 5), None);
    }

    #[test]
    fn what_is_stored_wraps_at_the_size_of_the_part() {
        let mut buffers = Buffers::new(8 * KIBIBYTE);
        assert_eq!(buffers.split(Side::Receive, [1, 1, 2, 4].into_iter()), Split::Legal);
        buffers.store_received(1, 0xFFFE, &[1, 2, 3, 4]);
        let memory = buffers.memory(Side::Receive);
        assert_eq!((&memory[2046..2048], &memory[1024..1026]), (&[1, 2][..], &[3, 4][..]));
    }
}
