//! Reverse zero-compressing COBS, in which frames are written by default: no byte of a frame is zero, and a zero ends it. It is
//! read from its end on. Each control byte says what stands before it.

/// A control byte below this has a bit for each of seven bytes: set where it is zero, else it stands there.
const RUN: u8 = 0x80;
const GROUP: u8 = 7;
/// A control byte of this value stands for as many bytes as there can be, none of them zero.
const LONGEST: u8 = 0xff;
const LONGEST_BYTES: usize = 134;

/// The contents of a frame, without the zero that ends it; nothing where it is none.
pub(super) fn decode(frame: &[u8]) -> Option<Vec<u8>> {
    let mut contents = Vec::with_capacity(frame.len() + frame.len() / 4);
    let mut backwards = frame.iter().rev().copied();
    while let Some(control) = backwards.next() {
        match control {
            0 => return None,
            LONGEST => {
                for _ in 0..LONGEST_BYTES {
                    contents.push(backwards.next()?);
                }
            }
            RUN.. => {
                contents.push(0);
                for _ in 0..(control - RUN) + GROUP {
                    contents.push(backwards.next()?);
                }
            }
            _ => {
                for bit in (0..GROUP).rev() {
                    contents.push(if control >> bit & 1 == 1 { 0 } else { backwards.next()? });
                }
            }
        }
    }
    contents.reverse();
    Some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_say_which_of_the_bytes_before_them_are_zero() {
        assert_eq!(decode(&[]), Some(vec![]));
        // Seven bytes, of which the first four are zero: bit 0 is the first.
        assert_eq!(decode(&[5, 6, 7, 0x0f]), Some(vec![0, 0, 0, 0, 5, 6, 7]));
        assert_eq!(decode(&[1, 2, 3, 4, 5, 6, 7, 0x80]), Some(vec![1, 2, 3, 4, 5, 6, 7, 0]));
        let longest: Vec<u8> = (1..=134).collect();
        assert_eq!(decode(&[longest.as_slice(), &[0xff]].concat()), Some(longest));
    }

    #[test]
    fn a_frame_that_is_cut_off_is_none() {
        for frame in [&[1, 2, 3, 0x0e][..], &[1, 2, 0x80], &[1, 0xff], &[1, 0, 2, 0x1f]] {
            assert_eq!(decode(frame), None, "{frame:?}");
        }
    }
}
