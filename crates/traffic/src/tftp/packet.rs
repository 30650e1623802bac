//! The packets of TFTP (RFC 1350, section 5), with the options of RFC 2347.

const READ: u16 = 1;
const WRITE: u16 = 2;
const DATA: u16 = 3;
const ACKNOWLEDGEMENT: u16 = 4;
const ERROR: u16 = 5;
/// RFC 2347.
const OPTIONS_ACKNOWLEDGEMENT: u16 = 6;
/// The operation and the number of a block, before its bytes.
pub(super) const HEADER_BYTES: usize = 4;

/// Why a transfer ends before its time: the codes of RFC 1350's appendix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Undefined = 0,
    NoFile = 1,
    AccessViolation = 2,
    DiskFull = 3,
    IllegalOperation = 4,
    UnknownTransfer = 5,
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Whether a file is to be read, or else written.
    pub reads: bool,
    pub name: String,
    /// In small letters.
    pub mode: String,
    /// Names in small letters, and values.
    pub options: Vec<(String, String)>,
}

/// What a client sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Packet<'a> {
    Request(Request),
    Data(u16, &'a [u8]),
    Acknowledgement(u16),
    /// With the message for a person.
    Error(String),
}

/// Reads a packet; nothing where it is none of a client's.
pub(super) fn read(bytes: &[u8]) -> Option<Packet<'_>> {
    let (operation, rest) = bytes.split_first_chunk()?;
    let operation = u16::from_be_bytes(*operation);
    if matches!(operation, READ | WRITE) {
        return request(operation == READ, rest).map(Packet::Request);
    }
    let (number, rest) = rest.split_first_chunk()?;
    let number = u16::from_be_bytes(*number);
    match operation {
        DATA => Some(Packet::Data(number, rest)),
        ACKNOWLEDGEMENT => Some(Packet::Acknowledgement(number)),
        ERROR => {
            let text = rest.split(|byte| *byte == 0).next().unwrap_or_default();
            Some(Packet::Error(String::from_utf8_lossy(text).into_owned()))
        }
        _ => None,
    }
}

fn request(reads: bool, bytes: &[u8]) -> Option<Request> {
    let texts = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
    let mut texts = texts.map(|text| String::from_utf8_lossy(text).into_owned());
    let (name, mode) = (texts.next()?, texts.next()?.to_ascii_lowercase());
    let mut options = Vec::new();
    while let (Some(option), Some(value)) = (texts.next(), texts.next()) {
        options.push((option.to_ascii_lowercase(), value));
    }
    Some(Request { reads, name, mode, options })
}

pub(super) fn data(number: u16, bytes: &[u8]) -> Vec<u8> {
    [&DATA.to_be_bytes(), &number.to_be_bytes(), bytes].concat()
}

pub(super) fn acknowledgement(number: u16) -> Vec<u8> {
    [ACKNOWLEDGEMENT.to_be_bytes(), number.to_be_bytes()].concat()
}

pub(super) fn options_acknowledgement(options: &[(&str, String)]) -> Vec<u8> {
    let texts = options.iter().map(|(option, value)| format!("{option}\0{value}\0"));
    [&OPTIONS_ACKNOWLEDGEMENT.to_be_bytes()[..], texts.collect::<String>().as_bytes()].concat()
}

pub(super) fn error(code: Code, message: &str) -> Vec<u8> {
    let [high, low] = (code as u16).to_be_bytes();
    [&ERROR.to_be_bytes(), &[high, low][..], message.as_bytes(), &[0]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_name_a_mode_and_pairs_of_options() {
        let Some(Packet::Request(request)) = read(b"\0\x01a.bin\0OCTET\0BlkSize\x001024\0odd\0") else {
            panic!("it is a request");
        };
        assert_eq!((request.reads, request.name.as_str(), request.mode.as_str()), (true, "a.bin", "octet"));
        assert_eq!(request.options, [("blksize".to_owned(), "1024".to_owned())]);
        assert_eq!(read(b"\0\x01a.bin\0octet"), None, "the last text has no end");
        assert_eq!(read(b"\0\x02a.bin\0"), None, "it has no mode");
        assert_eq!(read(b"\0\x07\0\0"), None, "there is no such operation");
    }
}
