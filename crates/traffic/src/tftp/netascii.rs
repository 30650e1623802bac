//! Netascii, as TFTP has it (RFC 1350): lines end with CR and LF, and a CR by itself is followed by NUL.

const CR: u8 = b'\r';
const LF: u8 = b'\n';
const NUL: u8 = 0;

/// A file of this computer as it goes over the network.
pub(super) fn encoded(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len());
    for byte in bytes {
        match *byte {
            LF => all.extend([CR, LF]),
            CR => all.extend([CR, NUL]),
            byte => all.push(byte),
        }
    }
    all
}

/// The file that came over the network. A CR that is followed by another byte stays as it is.
pub(super) fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        let (decoded, taken) = match (byte, behind.first()) {
            (CR, Some(&LF)) => (LF, 2),
            (CR, Some(&NUL)) => (CR, 2),
            _ => (byte, 1),
        };
        all.push(decoded);
        rest = &rest[taken..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_end_with_cr_and_lf() {
        assert_eq!(encoded(b"a\nb\r"), b"a\r\nb\r\0");
        assert_eq!(decoded(b"a\r\nb\r\0c\rd\r"), b"a\nb\rc\rd\r");
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(bytes in prop::collection::vec(prop::sample::select(vec![CR, LF, NUL, 7]), 0..40)) {
            prop_assert_eq!(decoded(&encoded(&bytes)), bytes);
        }
    }
}
