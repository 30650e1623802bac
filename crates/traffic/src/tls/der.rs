//! As much of DER (X.690) as a certificate needs.

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const UTF8_STRING: u8 = 0x0C;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// A value of a tag, whose content is these pieces.
pub(super) fn tagged(tag: u8, pieces: &[&[u8]]) -> Vec<u8> {
    let content = pieces.concat();
    let length = content.len().to_be_bytes();
    let significant = &length[length.iter().position(|&byte| byte != 0).unwrap_or(length.len() - 1)..];
    let mut value = vec![tag];
    if content.len() >= 0x80 {
        value.push(0x80 | significant.len() as u8);
    }
    value.extend(significant);
    value.extend(content);
    value
}

pub(super) fn sequence(pieces: &[&[u8]]) -> Vec<u8> {
    tagged(SEQUENCE, pieces)
}

/// An object identifier that is encoded already.
pub(super) fn object(identifier: &[u8]) -> Vec<u8> {
    tagged(OBJECT_IDENTIFIER, &[identifier])
}
