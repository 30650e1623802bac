//! The seeds of the USB host's fuzz target.

/// Runs of the USB script: 2^n us, and n times 16 ms.
const SHORT: u8 = 0x00;
const LONG: u8 = 0x40;

pub(crate) fn usb_seeds() -> Vec<(&'static str, Vec<u8>)> {
    let deviates = |kinds: &[u8]| [&[0x50 + kinds.len() as u8 - 1], kinds].concat();
    let sound = [0, LONG + 8].to_vec();
    let talks = [&[0, LONG + 8][..], b"\xa8typed text", b"\xb3text", &[SHORT + 14, 0xE0, 0xF0]].concat();
    let refuses = [&[0, LONG + 2][..], &deviates(&[2, 2, 2, 1, 3, 3]), &[LONG + 15, 0xE0]].concat();
    let wrong = [&[0, LONG + 1][..], &deviates(&[4, 0x0d, 0xfd, 6, 0x1e, 7, 7]), &[LONG + 15]].concat();
    let comes_and_goes =
        [0, SHORT + 12, 0x90, SHORT + 8, 0x91, LONG + 1, 0xD0, LONG + 2, 0x91, 0x98, 0x99, LONG + 4];
    let again_and_again = [&[0][..], &[LONG + 8, 0x90, 0x91].repeat(12)].concat();
    let sleeps = [0, LONG + 8, 0x9C, SHORT + 13, 0x9E, LONG + 2, 0x9C, 0x90, 0x91, LONG + 8];
    let disk = [0, LONG + 8, 0xC0, 0, 0, 2, 0xC9, 1, SHORT + 14, 0x51, 2, 2, 0xC0, 9, 1, 0, LONG + 1, 0xE0];
    // Its configuration: two interfaces whose endpoints are the same.
    let interface = [9, 4, 0, 0, 2, 2, 2, 0, 0, 7, 5, 0x81, 2, 8, 0, 0, 7, 5, 1, 2, 8, 0, 0];
    let own = [&[0x12, interface.len() as u8][..], &interface, &[LONG + 8, 0xF0]].concat();
    let report = [&[0x0C, 6, 0xfe, 2, 0, 1, 2, 0x85, 3, 5, 3, 0x41][..], &[LONG + 8, 0xF0]].concat();
    // Networks, each on the endpoints that print and listen: by ECM, NCM and RNDIS. A frame comes and one goes.
    let carries = |transfer: &[u8]| -> Vec<u8> {
        let print = |piece: &[u8]| [&[0xB0 + piece.len() as u8 - 1], piece].concat();
        let printed = transfer.chunks(16).flat_map(print);
        printed.chain([LONG + 1, 0xF9, 60, 0, LONG + 1, 0xE0, 0xF0]).collect()
    };
    let frame = b"to from and more";
    let block = [&b"NCMH\x0c\0\0\0\x2c\0\x0c\0NCM0\x10\0\0\0\x1c\0\x10\0\0\0\0\0"[..], frame].concat();
    let done = [2, 0, 0, 0x80, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let header = [&[1, 0, 0, 0, 60, 0, 0, 0, 36, 0, 0, 0, 16, 0, 0, 0][..], &[0; 28]].concat();
    let ecm = [network([2, 6, 0], &[]), carries(frame)].concat();
    let ncm = [network([2, 0x0d, 0], &PARAMETERS), carries(&block)].concat();
    let rndis = [network([2, 2, 0xff], &done), carries(&[&header[..], frame].concat())].concat();
    let short = [&[0x01][..], &[18, 1, 0, 2, 0, 0, 0, 8, 1, 2, 3], &[LONG + 8]].concat();
    vec![
        ("valid-sound", sound),
        ("valid-talks", talks),
        ("valid-refuses", refuses),
        ("valid-wrong-data", wrong),
        ("valid-comes-and-goes", comes_and_goes.to_vec()),
        ("valid-again-and-again", again_and_again),
        ("valid-sleeps", sleeps.to_vec()),
        ("valid-disk", disk.to_vec()),
        ("valid-own-configuration", own),
        ("valid-own-report", report),
        ("valid-network-by-ecm", ecm),
        ("valid-network-by-ncm", ncm),
        ("valid-network-by-rndis", rndis),
        ("valid-short-descriptor", short),
    ]
}

/// What a device of NCM says of its blocks: 2048 bytes each way, frames at multiples of 4 (USB CDC NCM 1.0, 6.2.1).
const PARAMETERS: [u8; 28] =
    [28, 0, 1, 0, 0, 8, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 8, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0];

/// A device with a network of a class and what it says of itself, some time after it was plugged in.
fn network(class: [u8; 3], says: &[u8]) -> Vec<u8> {
    // Without an endpoint to say so, it is connected from the start.
    let control = [9, 4, 0, 0, 0, class[0], class[1], class[2], 0];
    let functions = [5, 0x24, 0, 0x10, 1, 5, 0x24, 6, 0, 1];
    let without = [9, 4, 1, 0, 0, 10, 0, 1, 0];
    let data = [9, 4, 1, 1, 2, 10, 0, 1, 0, 7, 5, 0x82, 2, 64, 0, 0, 7, 5, 2, 2, 64, 0, 0];
    let own = [&control[..], &functions, &without, &data].concat();
    [&[0x1A, own.len() as u8][..], &own, &[says.len() as u8], says, &[LONG + 8]].concat()
}
