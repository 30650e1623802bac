//! The control block in RAM and its ring buffers. Its layout is SEGGER's (UM08001, chapter "RTT"): an identifier of 16 bytes, the
//! numbers of up- and down-buffers, and a descriptor of 24 bytes for each. Whatever is in RAM may be an image's nonsense, so
//! nothing of it is believed.

const ID: &[u8; 16] = b"SEGGER RTT\0\0\0\0\0\0";
/// The identifier and the two numbers.
const HEAD_BYTES: u32 = 24;
const DESCRIPTOR_BYTES: u32 = 24;
/// Its first word, which is aligned.
const FIRST_WORD: [u8; 4] = *b"SEGG";
/// So many words are compared without a branch among them.
const WORDS_AT_ONCE: usize = 64;
/// Of each direction; SEGGER's own code has three.
const MOST_BUFFERS: u32 = 32;

/// The fields of a descriptor.
const START: u32 = 4;
const SIZE: u32 = 8;
const WRITE_OFFSET: u32 = 12;
const READ_OFFSET: u32 = 16;

/// The RAM of a chip from its first address on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ram<'a> {
    pub(crate) start: u32,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Ram<'a> {
    fn get(self, address: u32, length: u32) -> Option<&'a [u8]> {
        let offset = address.checked_sub(self.start)? as usize;
        self.bytes.get(offset..offset.checked_add(length as usize)?)
    }

    fn word(self, address: u32) -> Option<u32> {
        let bytes = self.get(address, 4)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }
}

/// A control block that lies whole in RAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ControlBlock {
    address: u32,
    up: u32,
    down: u32,
}

impl ControlBlock {
    /// That at an address, where there is one.
    pub(crate) fn at(ram: Ram<'_>, address: u32) -> Option<Self> {
        if ram.get(address, ID.len() as u32)? != ID {
            return None;
        }
        let [up, down] = [16, 20].map(|offset| ram.word(address.wrapping_add(offset)));
        let (up, down) = (up?, down?);
        let is_sound = (1..=MOST_BUFFERS).contains(&up) && down <= MOST_BUFFERS;
        let bytes = HEAD_BYTES + (up.min(MOST_BUFFERS) + down.min(MOST_BUFFERS)) * DESCRIPTOR_BYTES;
        (is_sound && ram.get(address, bytes).is_some()).then_some(Self { address, up, down })
    }

    /// The first in RAM.
    pub(crate) fn find(ram: Ram<'_>) -> Option<Self> {
        let words = ram.bytes.as_chunks::<4>().0;
        let (rows, rest) = words.as_chunks::<WORDS_AT_ONCE>();
        // As masks, of which a processor compares several in one instruction.
        let mask = |word: &[u8; 4]| if *word == FIRST_WORD { u32::MAX } else { 0 };
        let found =
            (0..).zip(rows).filter(|(_, row)| row.iter().fold(0, |found, word| found | mask(word)) != 0);
        let rows = found.map(|(number, row)| (number * WORDS_AT_ONCE, row.as_slice()));
        let places = rows.chain([(words.len() - rest.len(), rest)]).flat_map(|(first, row)| {
            let here = (first..).zip(row).filter(|(_, word)| **word == FIRST_WORD);
            here.map(|(place, _)| 4 * place as u32)
        });
        places.filter_map(|place| Self::at(ram, ram.start.checked_add(place)?)).next()
    }

    pub(crate) fn address(self) -> u32 {
        self.address
    }

    /// The buffers that the image writes to, by their numbers; those that are not set up, or not soundly, are left out.
    pub(crate) fn up_buffers(self, ram: Ram<'_>) -> impl Iterator<Item = (u32, Buffer)> {
        (0..self.up).filter_map(move |number| Some((number, self.buffer(ram, number)?)))
    }

    /// The first buffer that the image reads from.
    pub(crate) fn first_down_buffer(self, ram: Ram<'_>) -> Option<Buffer> {
        (self.down > 0).then(|| self.buffer(ram, self.up)).flatten()
    }

    fn buffer(self, ram: Ram<'_>, number: u32) -> Option<Buffer> {
        let descriptor = self.address + HEAD_BYTES + number * DESCRIPTOR_BYTES;
        let field = |offset| ram.word(descriptor + offset);
        let buffer = Buffer {
            descriptor,
            name: field(0)?,
            start: field(START)?,
            size: field(SIZE)?,
            write: field(WRITE_OFFSET)?,
            read: field(READ_OFFSET)?,
        };
        let is_sound = buffer.write < buffer.size && buffer.read < buffer.size;
        (is_sound && ram.get(buffer.start, buffer.size).is_some()).then_some(buffer)
    }
}

/// A ring buffer that lies whole in RAM, with both offsets within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Buffer {
    descriptor: u32,
    /// Where its name is.
    pub(crate) name: u32,
    start: u32,
    pub(crate) size: u32,
    write: u32,
    read: u32,
}

impl Buffer {
    /// How many bytes wait in it.
    pub(crate) fn waiting(self) -> u32 {
        if self.write >= self.read { self.write - self.read } else { self.size - self.read + self.write }
    }

    /// What waits in it.
    pub(crate) fn contents(self, ram: Ram<'_>) -> Vec<u8> {
        let part = |from: u32, to: u32| ram.get(self.start + from, to - from).unwrap_or_default();
        match self.write >= self.read {
            true => part(self.read, self.write).to_vec(),
            false => [part(self.read, self.size), part(0, self.write)].concat(),
        }
    }

    /// The address of the read offset, and its value once all has been read.
    pub(crate) fn all_read(self) -> (u32, [u8; 4]) {
        (self.descriptor + READ_OFFSET, self.write.to_le_bytes())
    }

    /// How many bytes fit in: one fewer than there are free, because a full buffer would look empty.
    pub(crate) fn room(self) -> u32 {
        self.size - 1 - self.waiting()
    }

    /// Where the next byte goes, and what the write offset is behind it.
    pub(crate) fn put(&mut self, byte: u8) -> [(u32, Vec<u8>); 2] {
        let place = self.start + self.write;
        self.write = (self.write + 1) % self.size;
        [(place, vec![byte]), (self.descriptor + WRITE_OFFSET, self.write.to_le_bytes().to_vec())]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START_OF_RAM: u32 = 0x2000_0000;

    fn ram(bytes: &[u8]) -> Ram<'_> {
        Ram { start: START_OF_RAM, bytes }
    }

    /// A RAM of 512 bytes with one up-buffer of 8 bytes at its end, and its offsets.
    fn with_buffer(write: u32, read: u32) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[64..80].copy_from_slice(ID);
        let words = [1, 0, 0, START_OF_RAM + 504, 8, write, read, 0];
        for (place, word) in (80..).step_by(4).zip(words) {
            bytes[place..place + 4].copy_from_slice(&u32::to_le_bytes(word));
        }
        bytes[504..].copy_from_slice(b"abcdefgh");
        bytes
    }

    #[test]
    fn what_waits_goes_from_the_read_offset_to_the_write_offset_round_the_end() {
        for (write, read, waits) in [(5, 2, "cde"), (2, 6, "ghab"), (3, 3, "")] {
            let bytes = with_buffer(write, read);
            let block = ControlBlock::find(ram(&bytes)).unwrap();
            let buffers: Vec<(u32, Buffer)> = block.up_buffers(ram(&bytes)).collect();
            let [(0, buffer)] = buffers[..] else { panic!("{buffers:?}") };
            assert_eq!(buffer.contents(ram(&bytes)), waits.as_bytes());
            assert_eq!(buffer.waiting() as usize, waits.len());
            assert_eq!(buffer.all_read(), (START_OF_RAM + 64 + 24 + 16, write.to_le_bytes()));
            assert_eq!(buffer.room() as usize, 7 - waits.len());
        }
    }

    #[test]
    fn a_block_that_is_not_sound_is_none_and_the_next_one_is_found() {
        let mut bytes = with_buffer(5, 2);
        // The identifier once more before it, as a constant would be, with the text behind it as numbers.
        bytes[16..32].copy_from_slice(ID);
        bytes[32..40].fill(b'x');
        assert_eq!(ControlBlock::find(ram(&bytes)).map(ControlBlock::address), Some(START_OF_RAM + 64));
        bytes[80..84].copy_from_slice(&0u32.to_le_bytes());
        assert_eq!(ControlBlock::find(ram(&bytes)), None, "without an up-buffer");
        // Where RAM ends within the descriptors.
        let mut bytes = vec![0; 64];
        bytes[24..40].copy_from_slice(ID);
        bytes[40..44].copy_from_slice(&1u32.to_le_bytes());
        assert_eq!(ControlBlock::find(ram(&bytes)), None);
    }

    #[test]
    fn a_buffer_beyond_ram_or_with_offsets_beyond_its_end_is_left_out() {
        let with = |field: usize, word: u32| {
            let mut bytes = with_buffer(5, 2);
            bytes[88 + field..92 + field].copy_from_slice(&word.to_le_bytes());
            let block = ControlBlock::find(ram(&bytes)).unwrap();
            block.up_buffers(ram(&bytes)).count()
        };
        assert_eq!(with(START as usize, START_OF_RAM + 505), 0);
        assert_eq!(with(START as usize, 0), 0);
        assert_eq!(with(SIZE as usize, u32::MAX), 0);
        assert_eq!(with(WRITE_OFFSET as usize, 8), 0);
        assert_eq!(with(READ_OFFSET as usize, 8), 0);
        assert_eq!(with(READ_OFFSET as usize, 7), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_behind_an_identifier_are_read_within_ram(
            mut bytes in prop::collection::vec(any::<u8>(), 128..600),
            // An identifier of 16 bytes lies within the shortest RAM.
            place in 0usize..=(128 - 16) / 4,
            small in any::<bool>(),
            words in prop::collection::vec(prop_oneof![0u32..40, START_OF_RAM..START_OF_RAM + 600, any::<u32>()], 8),
        ) {
            let place = place * 4;
            bytes[place..place + 16].iter_mut().zip(ID).for_each(|(byte, id)| *byte = *id);
            if small {
                let places = (place + 16..bytes.len().saturating_sub(4)).step_by(4);
                for (at, word) in places.zip(words) {
                    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
            let ram = ram(&bytes);
            for (_, buffer) in ControlBlock::find(ram).iter().flat_map(|block| block.up_buffers(ram)) {
                prop_assert_eq!(buffer.contents(ram).len(), buffer.waiting() as usize);
                prop_assert!(buffer.room() + buffer.waiting() == buffer.size - 1);
            }
        }
    }
}
