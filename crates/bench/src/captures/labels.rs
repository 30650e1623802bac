//! What a capture's path says of it: the payload and the group.

use std::ffi::OsStr;
use std::path::Path;

/// The payload that a path names: `12B-250ms.csv`, `lora/1kB.sal`, `baudrate-12B-logs/115200.csv`. The file's own
/// name goes before its folder's, and the first size in a name before later ones (`1024B-64B-chunks`).
///
/// ```
/// # use std::path::Path;
/// assert_eq!(bench::captures::payload_bytes_of(Path::new("sik/12B-250ms.csv")), Some(12));
/// ```
pub fn payload_bytes_of(path: &Path) -> Option<u64> {
    let names = path.components().rev().take(2).filter_map(|part| part.as_os_str().to_str());
    names.into_iter().find_map(payload_in)
}

/// The first number followed by `B`, `kB` or `KiB` that stands as a word of its own.
fn payload_in(name: &str) -> Option<u64> {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let starts_word = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let unit_length = bytes[end..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let unit = &name[end..end + unit_length];
        let ends_word = bytes.get(end + unit_length).is_none_or(|b| !b.is_ascii_digit());
        let scale = match unit {
            "B" => Some(1),
            "kB" => Some(1000),
            "KiB" => Some(1024),
            _ => None,
        };
        if let (true, true, Some(scale)) = (starts_word, ends_word, scale) {
            return name[at..end].parse::<u64>().ok()?.checked_mul(scale);
        }
        at = end;
    }
    None
}

/// The group of a capture: the folders between what the user named and the file, or the file's own folder.
pub(super) fn group_of(path: &Path, root: Option<&Path>) -> String {
    let folder = path.parent().unwrap_or(Path::new(""));
    let below =
        root.and_then(|root| folder.strip_prefix(root).ok()).filter(|rest| !rest.as_os_str().is_empty());
    match below {
        Some(rest) => match rest.to_str() {
            Some(rest) => rest.replace('\\', "/"),
            None => rest.iter().map(text_of).collect::<Vec<_>>().join("/"),
        },
        None => folder.file_name().map_or_else(|| ".".to_owned(), text_of),
    }
}

/// A name of the file system as text, in which bytes outside UTF-8 are seen and not all the same: `caf\xe9.csv`.
pub(super) fn text_of(name: &OsStr) -> String {
    let mut text = String::new();
    for part in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(part.valid());
        text.extend(part.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_read_from_the_file_name_or_its_folder() {
        for (path, expected) in [
            ("sik/packet-size-logs/12B-250ms-trigger.csv", Some(12)),
            ("esp32-spp/1024B-64B-chunks.csv", Some(1024)),
            ("rfm95/64k5-SF2048-4o6-12B.csv", Some(12)),
            ("uart_tests/baudrate-12B-logs/115200-poll.csv", Some(12)),
            ("espnow/LR-1024B.csv.gz", Some(1024)),
            ("x/128B.csv", Some(128)),
            ("x/2KiB.csv", Some(2048)),
            ("gpio_tests/ll-o3.csv", None),
            ("x/A12B.csv", None),
        ] {
            assert_eq!(payload_bytes_of(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_group_is_the_folder_below_what_was_named() {
        let root = Path::new("/captures");
        assert_eq!(group_of(Path::new("/captures/sik/logs/12B.csv"), Some(root)), "sik/logs");
        assert_eq!(group_of(Path::new("/captures/12B.csv"), Some(root)), "captures");
        assert_eq!(group_of(Path::new("12B.csv"), None), ".");
    }
}
