//! What a device is, in words: the functions that its interfaces make up, by their class codes (usb.org, Defined Class Codes).

use crate::descriptors::InterfaceReport;

const AUDIO: u8 = 1;
const COMMUNICATIONS: u8 = 2;
const DATA: u8 = 10;
const WIRELESS: u8 = 0xe0;
const APPLICATION: u8 = 0xfe;

/// The functions of a device, each once: `2 serial ports` where it has two of a kind.
pub(crate) fn functions(interfaces: &[InterfaceReport]) -> Vec<String> {
    let mut found: Vec<(&str, u32)> = Vec::new();
    for kind in interfaces.iter().filter_map(kind) {
        match found.iter_mut().find(|(one, _)| *one == kind) {
            Some((_, count)) => *count += 1,
            None => found.push((kind, 1)),
        }
    }
    found.into_iter().map(|(kind, count)| words(kind, count)).collect()
}

/// What an interface is for. Nothing for those that only belong to another one.
fn kind(interface: &InterfaceReport) -> Option<&'static str> {
    Some(match (interface.class, interface.subclass, interface.protocol) {
        // Of a microphone's, a speaker's or a MIDI device's interfaces the first is their control.
        (AUDIO, 1, _) | (DATA, ..) => return None,
        (AUDIO, 3, _) => "MIDI port",
        (AUDIO, ..) => "audio stream",
        // Microsoft's network shares the subclass of modems, as a vendor's protocol.
        (COMMUNICATIONS, 2, 0xff) | (WIRELESS, 1, 3) => "network by RNDIS",
        (COMMUNICATIONS, 2, _) => "serial port",
        (COMMUNICATIONS, 6, _) => "network by CDC ECM",
        (COMMUNICATIONS, 0x0c, _) => "network by CDC EEM",
        (COMMUNICATIONS, 0x0d, _) => "network by CDC NCM",
        (3, 1, 1) => "keyboard",
        (3, 1, 2) => "mouse",
        (3, ..) => "HID",
        (6, ..) => "camera or media player",
        (7, ..) => "printer",
        (8, ..) => "disk",
        (14, 1, _) => return None,
        (14, ..) => "video stream",
        (APPLICATION, 1, _) => "firmware update by DFU",
        (APPLICATION, 3, _) => "test instrument",
        (0xff, ..) => "function of its vendor's own",
        _ => "function of another class",
    })
}

fn words(kind: &str, count: u32) -> String {
    match (count, kind.split_once(' ')) {
        (1, _) => kind.to_owned(),
        (_, Some((first, rest))) if rest.starts_with("of ") || rest.starts_with("by ") => {
            format!("{count} {first}s {rest}")
        }
        _ => format!("{count} {kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(codes: &[(u8, u8, u8)]) -> Vec<String> {
        let interface = |&(class, subclass, protocol)| InterfaceReport {
            class,
            subclass,
            protocol,
            ..InterfaceReport::default()
        };
        functions(&codes.iter().map(interface).collect::<Vec<_>>())
    }

    #[test]
    fn a_network_is_no_serial_port_although_both_are_communications_devices() {
        assert_eq!(named(&[(2, 0x0d, 0), (10, 0, 1)]), ["network by CDC NCM"]);
        assert_eq!(named(&[(2, 6, 0), (10, 0, 0)]), ["network by CDC ECM"]);
        assert_eq!(named(&[(0xe0, 1, 3), (10, 0, 0)]), ["network by RNDIS"]);
        assert_eq!(named(&[(2, 2, 0xff), (10, 0, 0)]), ["network by RNDIS"]);
        assert_eq!(named(&[(2, 2, 0), (10, 0, 0)]), ["serial port"]);
    }

    #[test]
    fn functions_of_a_kind_are_counted_and_controls_are_none() {
        assert_eq!(
            named(&[(2, 2, 0), (10, 0, 0), (2, 2, 0), (10, 0, 0), (8, 6, 80)]),
            ["2 serial ports", "disk"]
        );
        assert_eq!(named(&[(1, 1, 0), (1, 2, 0), (1, 2, 0)]), ["2 audio streams"]);
        assert_eq!(named(&[(1, 1, 0), (1, 3, 0)]), ["MIDI port"]);
        assert_eq!(named(&[(0xff, 0, 0), (0xff, 0, 1)]), ["2 functions of its vendor's own"]);
        assert_eq!(
            named(&[(3, 1, 1), (3, 0, 0), (0xfe, 1, 1)]),
            ["keyboard", "HID", "firmware update by DFU"]
        );
    }
}
